package marketplace

import (
	"slices"
	"testing"
	"time"

	"tonne/api/marketplace/exchange"
)

func TestOpenInvoicesAreListedUntilTheyAreSettled(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	list := func() []exchange.Bill {
		t.Helper()
		invoices, err := d.invoices(exchange.BillFilter{Open: true})
		if err != nil {
			t.Fatal(err)
		}
		return invoices
	}
	if before := list(); len(before) != 0 {
		t.Errorf("before a purchase: %+v", before)
	}
	order := d.sell(d.vintages[0], 100, 620)
	d.fraction("a", 1_250_000, order)
	live := list()
	if len(live) != 1 || live[0].State != "LIVE" || live[0].Total != 2*620 || live[0].Month != "2026-11" || live[0].Tenant == "" {
		t.Fatalf("in its month: %+v", live)
	}
	d.clock.set(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))
	d.fraction("b", 1_000_000, order)
	issued := list()
	if len(issued) != 2 || issued[0].ID != live[0].ID || issued[0].State != "ISSUED" || issued[1].State != "LIVE" {
		t.Fatalf("a month later: %+v", issued)
	}
	if err := d.settle(live[0].ID); err != nil {
		t.Fatal(err)
	}
	if left := list(); !slices.Equal(left, issued[1:]) {
		t.Errorf("settled, but listed: %+v", left)
	}
}
