package marketplace

import (
	"testing"

	"tonne/model"
	"tonne/model/retirement"
)

func TestInterfaceSection3States(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	order := d.sell(d.vintages[0], 1000, 620)
	want := func(t *testing.T, id string, status retirement.Status, total model.Grams) retirement.Request {
		t.Helper()
		r := d.lookup(id)
		if r.Status != status || r.TotalQuantity != total {
			t.Errorf("%s with %d g, want %s with %d g", r.Status, r.TotalQuantity, status, total)
		}
		return r
	}
	gathering := d.fraction("a", 1_200_000, order)
	t.Run("section 3: OPEN, more credits can be added, only FRACTIONALISED", func(t *testing.T) {
		d.fraction("b", 800_001, order)
		want(t, gathering, retirement.Open, 2_000_001)
		if whole := d.lookup(d.fraction("c", 1_000_000, order)); whole.Status == retirement.Open || whole.Type != retirement.Whole {
			t.Errorf("%+v", whole)
		}
	})
	closeMonth := func() {
		if _, err := d.closeMonth(); err != nil {
			t.Fatal(err)
		}
	}
	closeMonth()
	t.Run("section 3: CLOSED, no more can be added, pending settlement of invoices", func(t *testing.T) {
		if next := d.fraction("d", 7, order); next == gathering {
			t.Error("credits were added to a closed request")
		}
		if r := want(t, gathering, retirement.Closed, 2_000_000); r.AllInvoicesSettled != model.No || r.Status.Final() {
			t.Errorf("%+v", r)
		}
	})
	t.Run("section 3: settlement of the invoices moves CLOSED to IN_PROGRESS", func(t *testing.T) {
		if err := d.settle(d.lookup(gathering).Items[0].InvoiceID); err != nil {
			t.Fatal(err)
		}
		d.fraction("e", 7, order)
		want(t, gathering, retirement.InProgress, 2_000_000)
	})
	t.Run("section 3: COMPLETE has retired_at, serial numbers and certificate", func(t *testing.T) {
		if err := d.CompleteRetirement(t.Context(), gathering); err != nil {
			t.Fatal(err)
		}
		if r := want(t, gathering, retirement.Complete, 2_000_000); !r.RetiredAt.Known() || len(r.SerialNumbers) == 0 || r.CertificateURL == "" {
			t.Errorf("%+v", r)
		}
	})
	t.Run("section 3: closing with total_quantity 0 is NOTHING_TO_PROCESS", func(t *testing.T) {
		less := d.fraction("f", 5, order)
		closeMonth()
		want(t, less, retirement.NothingToProcess, 0)
	})
}

func TestInterfaceSection9Paths(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	t.Run("section 9: paths carry no version segment", func(t *testing.T) {
		if w := d.get("/api/v1/market"); w.Code != 404 {
			t.Errorf("/api/v1/market is answered with %d", w.Code)
		}
	})
}
