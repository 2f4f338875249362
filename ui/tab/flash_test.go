package tab

import (
	"testing"
	"time"
	"unsafe"

	must "tonne/model/musttest"
)

func TestMarkDoesNotRetainTheSnapshot(t *testing.T) {
	t.Parallel()
	var f Flashes
	snapshot := "003bale004bale0"
	f.Add(time.Now(), snapshot[:7], "ask")
	must.Need(t, f.On("003bale", "ask"), "the cell is not marked")
	for of := range f.until {
		must.Hold(t, unsafe.StringData(of.id) != unsafe.StringData(snapshot), "the mark keeps the snapshot in memory")
	}
}
