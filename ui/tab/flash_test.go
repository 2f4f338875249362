package tab

import (
	"testing"
	"time"
	"unsafe"
)

func TestMarkDoesNotRetainTheSnapshot(t *testing.T) {
	t.Parallel()
	var f Flashes
	snapshot := "003bale004bale0"
	f.Add(time.Now(), snapshot[:7], "ask")
	if !f.On("003bale", "ask") {
		t.Fatal("the cell is not marked")
	}
	for of := range f.until {
		if unsafe.StringData(of.id) == unsafe.StringData(snapshot) {
			t.Error("the mark keeps the snapshot in memory")
		}
	}
}
