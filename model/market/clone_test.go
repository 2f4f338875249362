package market_test

import (
	"strings"
	"testing"
	"unsafe"

	"tonne/model"
	"tonne/model/market"
)

// owned checks that a text is equal to another one and shares no bytes with it.
func owned(t *testing.T, what, got, of string) {
	t.Helper()
	if got != of {
		t.Errorf("%s is %q, want %q", what, got, of)
	}
	if unsafe.StringData(got) == unsafe.StringData(of) {
		t.Errorf("%s shares its bytes", what)
	}
}

func TestAClonedChangeOwnsItsBytes(t *testing.T) {
	t.Parallel()
	was := market.New(part(listing{"p", "v", []order{{"o", 1e6, 500}}}))
	now := market.New(part(listing{"p", "v", []order{{"o", 1e6, 510}}}))
	change := now.Since(was).Orders[0].Clone()
	owned(t, "the order before", change.Was.ID, was.Order(0).ID)
	owned(t, "the order now", change.Now.ID, now.Order(0).ID)
	owned(t, "the project", change.Vintage.ProjectID, now.Key(0).ProjectID)
	owned(t, "the vintage", change.Vintage.VintageID, now.Key(0).VintageID)
	if change.Kind != market.Repriced || change.Was.Price != 500 || change.Now.Price != 510 {
		t.Errorf("the clone is %+v", change)
	}
}

func TestIDsOwnTheirBytes(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("p", 3) + " rest"
	owned(t, "the id", model.SplitIDs(text)[0], text[:3])
}
