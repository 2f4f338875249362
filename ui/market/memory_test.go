package market

import (
	"testing"
	"unsafe"

	"tonne/model"
	must "tonne/model/musttest"
	"tonne/ui/uitest"
)

func TestRememberedKeysDoNotKeepSnapshotAlive(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.poll(uitest.Market(5))
	row, ok := r.tab.list.table.Current()
	must.Need(t, ok, "no vintage is selected")
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
	must.Need(t, len(kept) == 4, "kept", kept)
	for what, key := range kept {
		must.Equal(t, key, shared, what)
		must.Hold(t, unsafe.StringData(key.VintageID) != unsafe.StringData(shared.VintageID) &&
			unsafe.StringData(key.ProjectID) != unsafe.StringData(shared.ProjectID),
			what)
	}
}
