package marketplace

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/model"
	"tonne/model/retirement"
)

// fraction requests a fractional retirement that buys what it needs.
func (d *fixture) fraction(external string, grams model.Grams, order string) string {
	d.t.Helper()
	return d.retired(body{"vintage_id": d.vintages[0].id, "quantity_grams": grams.String(), "external_id": external,
		"sell_order_id": order, "expected_price_cents": "620"})
}

func TestMonthEndMovesTheFractionOn(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	order := d.sell(d.vintages[0], 100, 620)
	november := d.fraction("a", 1_250_000, order)
	d.fraction("b", 700_000, order)
	d.fraction("c", 2_400_000, order)

	d.clock.set(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))
	closed := d.lookup(november)
	if closed.Status != retirement.Closed || closed.TotalQuantity != 4*model.GramsPerTonne {
		t.Fatalf("at month end: %+v", closed)
	}
	december := d.fraction("d", 10, order)
	open := d.lookup(december)
	if december == november || open.Status != retirement.Open || open.TotalQuantity != 350_010 {
		t.Fatalf("next month: %+v", open)
	}
	if open.Items[0].Quantity != 350_000 || open.Items[0].TradeID != closed.Items[2].TradeID {
		t.Errorf("the fraction that moved on: %+v", open.Items[0])
	}
	checkBooks(t, d)
}

func TestMonthEndsInUTC(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	id := d.fraction("a", 1_250_000, d.sell(d.vintages[0], 100, 620))
	behind := time.FixedZone("behind", -10*3600)
	d.clock.set(time.Date(2026, 11, 30, 13, 59, 59, 0, behind))
	if r := d.lookup(id); r.Status != retirement.Open {
		t.Errorf("a second before the end it is %s", r.Status)
	}
	d.clock.set(time.Date(2026, 11, 30, 14, 0, 0, 0, behind))
	if r := d.lookup(id); r.Status != retirement.Closed {
		t.Errorf("at the end it is %s", r.Status)
	}
}

func TestLessThanOneTonneIsNothingToProcess(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	id := d.fraction("a", 420_000, d.sell(d.vintages[0], 100, 620))
	end, err := d.closeMonth()
	if err != nil || end != (exchange.MonthEnd{Month: "2026-11", NothingToProcess: 1, Invoices: 1}) {
		t.Fatalf("%+v %v", end, err)
	}
	if r := d.lookup(id); r.Status != retirement.NothingToProcess || r.TotalQuantity != 0 || len(r.Items) != 0 {
		t.Errorf("%+v", r)
	}
	next := d.fraction("b", 580_000, "")
	if r := d.lookup(next); r.TotalQuantity != model.GramsPerTonne || r.Status != retirement.Open {
		t.Errorf("%+v", r)
	}
	checkBooks(t, d)
}

func TestSettlementAndRegistryEndTheLifeCycle(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	order := d.sell(d.vintages[0], 5000, 620)
	id := d.fraction("a", 2_500_400_000, order)
	if _, err := d.closeMonth(); err != nil {
		t.Fatal(err)
	}
	if err := d.CompleteRetirement(t.Context(), id); !errors.Is(err, exchange.ErrNotInProgress) {
		t.Errorf("completing a CLOSED request: %v", err)
	}
	if err := d.settle(d.lookup(id).Items[0].InvoiceID); err != nil {
		t.Fatal(err)
	}
	r := d.lookup(id)
	if r.Status != retirement.InProgress || r.AllInvoicesSettled != model.Yes || r.CertificateURL != "" || len(r.SerialNumbers) != 0 || r.RetiredAt.Known() {
		t.Errorf("after settlement: %+v", r)
	}
	d.clock.set(testNow.Add(time.Hour))
	if err := d.CompleteRetirement(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	r = d.lookup(id)
	if r.Status != retirement.Complete || !r.RetiredAt.Time.Equal(testNow.Add(time.Hour)) || r.CertificateURL == "" {
		t.Errorf("after the registry: %+v", r)
	}
	if got := verraTonnes(t, r.SerialNumbers); got != 2500 || len(r.SerialNumbers) < 2 {
		t.Errorf("serial numbers %q add up to %d t", r.SerialNumbers, got)
	}
	checkBooks(t, d)
	wantAudit(t, d, id, "OPEN", "OPEN to CLOSED", "CLOSED to IN_PROGRESS", "IN_PROGRESS to COMPLETE")
}

// verraTonnes adds up ranges of serial numbers and checks that none overlap.
func verraTonnes(t *testing.T, serials []string) (tonnes int64) {
	t.Helper()
	last := int64(0)
	for _, serial := range serials {
		parts := strings.Split(serial, "-")
		start, _ := strconv.ParseInt(parts[1], 10, 64)
		end, err := strconv.ParseInt(parts[2], 10, 64)
		if err != nil || start <= last || end < start || parts[9] != "1340" {
			t.Errorf("serial number %q after %d", serial, last)
		}
		last = end
		tonnes += end - start + 1
	}
	return tonnes
}

func wantAudit(t *testing.T, d *fixture, subject string, details ...string) {
	t.Helper()
	for i, detail := range details {
		if got := d.text("SELECT detail FROM audit WHERE subject = $1 ORDER BY number LIMIT 1 OFFSET $2", subject, i); got != detail {
			t.Errorf("audit entry %d is %q, want %q", i, got, detail)
		}
	}
}

func TestRetirementFromPaidInventoryNeedsNoInvoice(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	order := d.sell(d.vintages[0], 10, 620)
	d.fraction("a", 500_000, order)
	if _, err := d.closeMonth(); err != nil {
		t.Fatal(err)
	}
	d.do(func(c *change) error {
		exchange.SetBalance(c.Change, d.tenant, d.vintages[0].Vintage, 2_500_000)
		return nil
	})
	waiting := d.fraction("b", 1_000_000, "")
	if r := d.lookup(waiting); r.Status != retirement.Closed {
		t.Errorf("while an invoice of the vintage is unpaid the request is %s", r.Status)
	}
	if err := d.settle(d.text("SELECT id FROM invoices")); err != nil {
		t.Fatal(err)
	}
	if r := d.lookup(waiting); r.Status != retirement.InProgress {
		t.Errorf("once it is paid the request is %s", r.Status)
	}
	if r := d.lookup(d.fraction("c", 1_000_000, "")); r.Status != retirement.InProgress || r.AllInvoicesSettled != model.Yes {
		t.Errorf("a later one is %+v", r)
	}
}

// What a request waits for does not depend on a clock that was set back.
func TestClockSetBackBeforeTheMonthIsClosed(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	id := d.fraction("a", 1_500_000, d.sell(d.vintages[0], 10, 620))
	d.clock.set(testNow.Add(-time.Hour))
	if _, err := d.closeMonth(); err != nil {
		t.Fatal(err)
	}
	if r := d.lookup(id); r.Status != retirement.Closed || r.AllInvoicesSettled != model.No {
		t.Errorf("the request does not wait for its invoice: %+v", r)
	}
}

func TestAdvanceMovesOneStepAtATime(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	id := d.fraction("a", 1_500_000, d.sell(d.vintages[0], 10, 620))
	for _, want := range []retirement.Status{retirement.Closed, retirement.InProgress, retirement.Complete, retirement.Complete} {
		if err := d.advance(d.clock.Now()); err != nil {
			t.Fatal(err)
		}
		if r := d.lookup(id); r.Status != want {
			t.Errorf("%s, want %s", r.Status, want)
		}
	}
	checkBooks(t, d)
}

func TestAdvanceDoesNotMultiplyFractions(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	d.fraction("a", 20, d.sell(d.vintages[0], 10, 620))
	for range 10 {
		if err := d.advance(d.clock.Now()); err != nil {
			t.Fatal(err)
		}
	}
	if n := d.query("SELECT count(*) FROM retirement_requests"); n != 2 {
		t.Errorf("%d requests, want the one with nothing to process and the open one", n)
	}
}

func TestOperatorMistakesAreToldApart(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	r := d.lookup(d.fraction("a", 1_000_000, d.sell(d.vintages[0], 10, 620)))
	invoice := r.Items[0].InvoiceID
	if err := d.settle("00inope"); !errors.Is(err, exchange.ErrUnknownInvoice) {
		t.Error(err)
	}
	if err := d.settle(invoice); err != nil {
		t.Error(err)
	}
	if err := d.settle(invoice); !errors.Is(err, exchange.ErrAlreadySettled) {
		t.Error(err)
	}
	if err := d.CompleteRetirement(t.Context(), "00mnope"); !errors.Is(err, exchange.ErrUnknownRequest) {
		t.Error(err)
	}
}

// A service that was off for months ends all that ended meanwhile, once.
func TestMonthsThatPassedUnattended(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	id := d.fraction("a", 1_500_000, d.sell(d.vintages[0], 10, 620))
	d.clock.set(testNow.AddDate(0, 5, 0))
	if r := d.lookup(id); r.Status != retirement.Closed || r.TotalQuantity != model.GramsPerTonne {
		t.Errorf("%+v", r)
	}
	if month := d.text("SELECT month FROM periods WHERE closed_at IS NULL"); month != "2027-04" {
		t.Errorf("the open month is %s", month)
	}
	checkBooks(t, d)
}
