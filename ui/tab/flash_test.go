package tab

import (
	"testing"
	"time"
	"unsafe"
)

func TestAMarkOwnsItsName(t *testing.T) {
	t.Parallel()
	var f Flashes
	snapshot := "003bale004bale0"
	f.Add(snapshot[:7], time.Now())
	if !f.On("003bale") {
		t.Fatal("the thing is not marked")
	}
	for name := range f.until {
		if unsafe.StringData(name) == unsafe.StringData(snapshot) {
			t.Error("the mark keeps a snapshot")
		}
	}
}
