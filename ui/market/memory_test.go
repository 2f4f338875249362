package market

import (
	"testing"
	"unsafe"

	"tonne/model"
	"tonne/ui/uitest"
)

func TestRememberedKeysDoNotKeepSnapshotAlive(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.poll(uitest.Market(5))
	row, ok := r.tab.list.table.Current()
	if !ok {
		t.Fatal("no vintage is selected")
	}
	r.Press("f", "a")
	r.Reply("best ask <= 1.00")
	shared := row.key()
	kept := map[string]model.VintageKey{"the history": r.tab.history.wanted[0]}
	for key := range r.tab.history.prices.Observations {
		kept["its prices"] = key
	}
	for key := range r.tab.watch.Watched {
		kept["the watch list"] = key
	}
	for _, a := range r.tab.watch.Rules {
		kept["a rule"] = a.Vintage
	}
	if len(kept) != 4 {
		t.Fatalf("kept %v", kept)
	}
	for what, key := range kept {
		if key != shared {
			t.Errorf("%s is of %v, want %v", what, key, shared)
		}
		if unsafe.StringData(key.VintageID) == unsafe.StringData(shared.VintageID) || unsafe.StringData(key.ProjectID) == unsafe.StringData(shared.ProjectID) {
			t.Errorf("%s shares memory with a snapshot", what)
		}
	}
}
