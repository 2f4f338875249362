package market

import (
	"strings"
	"testing"

	"tonne/ui/uitest"
)

func TestEnterOnAChangeGoesToItsVintage(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.poll(uitest.Market(-5))
	r.Press("v", "enter", "j", "j")
	change, ok := r.tab.panes.changes.table.Current()
	if before, _ := r.tab.table.CurrentKey(); !ok || change.Vintage == before {
		t.Fatalf("the change is of %v, which is shown already", change.Vintage)
	}
	r.Press("enter")
	if key, _ := r.tab.table.CurrentKey(); key != change.Vintage {
		t.Errorf("↵ on a change of %v leads to %v", change.Vintage, key)
	}
	if r.tab.panes.focused {
		t.Error("the changes keep the keys")
	}
	r.Sees(r.tab.rows.projects.Name(change.Vintage.ProjectID) + " · " + r.View.VintageName(change.Vintage) + "  order book")
}

func TestEnterOnAChangeSaysWhyItsVintageIsNotThere(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.poll(uitest.Market(-5))
	r.Press("/", "h", "u", "m", "b", "enter", "v", "enter")
	change, _ := r.tab.panes.changes.table.Current()
	r.Press("enter")
	want := r.tab.label(change.Vintage) + " is not in the table now"
	if said := uitest.LastOf(r.Said); !strings.HasPrefix(said, want) {
		t.Errorf("says %q, want %q", said, want)
	}
	if !r.tab.panes.focused || r.tab.panes.shown != pane(r.tab.panes.changes) {
		t.Error("the changes are left though there is nowhere to go")
	}
}

func TestEnterLeavesAnEmptyList(t *testing.T) {
	t.Parallel()
	for _, list := range []string{"v", "w"} {
		r := settled(t)
		r.Press(list, "enter", "enter")
		if r.tab.panes.focused {
			t.Errorf("%s: the empty list keeps the keys", list)
		}
	}
}
