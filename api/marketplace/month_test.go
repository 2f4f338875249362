package marketplace

import (
	"bytes"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/model"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

var (
	december  = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	farFuture = time.Date(2099, 7, 1, 0, 0, 0, 0, time.UTC)
)

func (d *fixture) openMonth() string {
	return d.Text("SELECT month FROM periods WHERE closed_at IS NULL")
}

// want checks the state of a request.
func (d *fixture) want(id string, status retirement.Status, total model.Grams) retirement.Request {
	d.Helper()
	r := d.Retirement(id)
	must.Hold(d, r.Status == status && r.TotalQuantity == total, r.Status, r.TotalQuantity, status, total)
	return r
}

func TestStates(t *testing.T) {
	eachEngine(t, func(t *testing.T, d *fixture) {
		order := d.Sell(d.Vintages[0], 5000, 620)
		id := d.Buy("a", 2_500_200_000, order)
		t.Run("section 3: OPEN, more credits can be added, only FRACTIONALISED", func(t *testing.T) {
			d.Buy("c", 800_001, order)
			d.want(id, retirement.Open, 2_501_000_001)
			whole := d.Retirement(d.Buy("d", 1_000_000, order))
			must.Hold(t, whole.Status != retirement.Open && whole.Type == retirement.Whole, whole)
		})
		d.CloseMonth()
		t.Run("section 3: CLOSED, no more can be added, pending settlement of invoices", func(t *testing.T) {
			must.Hold(t, d.Buy("e", 7, order) != id, "credits were added to a closed request")
			r := d.want(id, retirement.Closed, 2_501_000_000)
			must.Hold(t, r.AllInvoicesSettled == model.No && !r.Status.Final(), r)
			must.Fail(t, d.Complete(id), exchange.ErrNotInProgress, "completing it")
		})
		t.Run("section 3: settlement of the invoices moves CLOSED to IN_PROGRESS", func(t *testing.T) {
			invoice := d.Retirement(id).Items[0].InvoiceID
			unknown, first, again := d.Settle("00inope"), d.Settle(invoice), d.Settle(invoice)
			must.Hold(t, first == nil && errors.Is(unknown, exchange.ErrUnknownInvoice) &&
				errors.Is(again, exchange.ErrAlreadySettled), unknown, first, again)
			d.Buy("f", 7, order)
			r := d.want(id, retirement.InProgress, 2_501_000_000)
			must.Hold(t, r.AllInvoicesSettled == model.Yes && r.CertificateURL == "" && len(r.SerialNumbers) == 0 &&
				!r.RetiredAt.Known(), r)
		})
		t.Run("section 3: COMPLETE has retired_at, serial numbers and certificate", func(t *testing.T) {
			d.Clock.Set(testNow.Add(time.Hour))
			must.Succeed(t, d.Complete(id))
			r := d.want(id, retirement.Complete, 2_501_000_000)
			must.Hold(t, r.RetiredAt.Time.Equal(testNow.Add(time.Hour)) && r.CertificateURL != "" &&
				verraTonnes(t, r.SerialNumbers) == 2501 && len(r.SerialNumbers) >= 2, r)
			for i, detail := range []string{"OPEN", "OPEN to CLOSED", "CLOSED to IN_PROGRESS", "IN_PROGRESS to COMPLETE"} {
				got := d.Text("SELECT detail FROM audit WHERE subject = $1 ORDER BY number LIMIT 1 OFFSET $2", id, i)
				must.Equal(t, got, detail, "audit entry", i)
			}
		})
		t.Run("section 3: closing with total_quantity 0 is NOTHING_TO_PROCESS", func(t *testing.T) {
			less := d.Buy("g", 5, "")
			end := d.CloseMonth()
			must.Equal(t, end.NothingToProcess, 1, end)
			r := d.want(less, retirement.NothingToProcess, 0)
			must.Equal(t, len(r.Items), 0, r)
			d.want(d.Buy("h", 999_979, ""), retirement.Open, 999_999)
		})
		d.CheckBooks()
	})
}

// verraTonnes adds up ranges of serial numbers and checks that they do not overlap.
func verraTonnes(t *testing.T, serials []string) (tonnes int64) {
	t.Helper()
	last := int64(0)
	for _, serial := range serials {
		parts := strings.Split(serial, "-")
		start, _ := strconv.ParseInt(parts[1], 10, 64)
		end, err := strconv.ParseInt(parts[2], 10, 64)
		must.Hold(t, err == nil && start > last && end >= start && parts[9] == "1340", "serial number", serial, last)
		last = end
		tonnes += end - start + 1
	}
	return tonnes
}

func TestMonthEndMovesFractionsToTheNextMonth(t *testing.T) {
	eachEngine(t, func(t *testing.T, d *fixture) {
		order := d.Sell(d.Vintages[0], 100, 620)
		november := d.Buy("a", 1_250_000, order)
		d.Buy("b", 700_000, order)
		d.Buy("c", 2_400_000, order)
		d.Buy("later", 20_000, order)
		split := d.Retirement(november).Items[2].ID
		// Two items of another tenant are a whole tonne, and stay. The third moves.
		for external, grams := range map[string]model.Grams{"a": 750_000, "b": 250_000} {
			d.Accepted(d.Retire(d.OtherKey, d.Purchase(external, grams, order)))
		}
		d.Accepted(d.Retire(d.OtherKey, d.Purchase("c", 500_000, order)))
		d.Clock.Set(december)
		closed := d.want(november, retirement.Closed, 4*model.GramsPerTonne)
		const largest = "SELECT max(total_grams) FROM retirement_requests WHERE tenant = $1"
		must.Equal(t, d.Number(largest, d.Other), model.GramsPerTonne)
		next := d.Buy("d", 10, order)
		open := d.want(next, retirement.Open, 370_010)
		must.Hold(t, next != november && open.Items[0].Quantity == 350_000 && open.Items[1].Quantity == 20_000 &&
			open.Items[0].TradeID == closed.Items[2].TradeID, "the fractions that moved", open.Items)
		must.Equal(t, closed.Items[2].ID, split, "the part that stayed")
		// A service that was stopped for months ends all of them, once.
		d.Clock.Set(december.AddDate(0, 4, 0))
		d.want(next, retirement.NothingToProcess, 0)
		must.Equal(t, d.openMonth(), "2027-04", "the open month is")
		d.CheckBooks()
	})
}

func TestRetirementFromPaidInventoryNeedsNoInvoice(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	d.Buy("a", 500_000, d.Sell(d.Vintages[0], 10, 620))
	d.CloseMonth()
	d.Do(func(c *exchange.Change) { exchange.SetBalance(c, d.Tenant, d.Vintages[0].Vintage, 2_500_000) })
	waiting := d.Buy("b", 1_000_000, "")
	d.want(waiting, retirement.Closed, 1_000_000)
	must.Succeed(t, d.Settle(d.Text("SELECT id FROM invoices")))
	d.want(waiting, retirement.InProgress, 1_000_000)
	r := d.want(d.Buy("c", 1_000_000, ""), retirement.InProgress, 1_000_000)
	must.Equal(t, r.AllInvoicesSettled, model.Yes, r)
}

// Requests wait for the same invoices if the clock was set back.
func TestClockSetBackBeforeTheMonthIsClosed(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	id := d.Buy("a", 1_500_000, d.Sell(d.Vintages[0], 10, 620))
	d.Clock.Set(testNow.Add(-time.Hour))
	d.CloseMonth()
	r := d.want(id, retirement.Closed, 1_000_000)
	must.Equal(t, r.AllInvoicesSettled, model.No, "the request does not wait for its invoice", r)
}

func TestAdvanceMovesOneStepAtATime(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	id := d.Buy("a", 1_500_000, d.Sell(d.Vintages[0], 10, 620))
	for _, want := range []retirement.Status{retirement.Closed, retirement.InProgress, retirement.Complete,
		retirement.Complete} {
		d.Advance(1)
		d.want(id, want, 1_000_000)
	}
	d.Advance(10)
	n := d.Number("SELECT count(*) FROM retirement_requests")
	must.Hold(t, n <= 4, "the fraction became", n)
	d.CheckBooks()
}

// logged is a fixture whose log the test reads.
func logged(t *testing.T, path string) (d *fixture, log *bytes.Buffer) {
	t.Helper()
	log = new(bytes.Buffer)
	return openFixture(t, path, Options{RatePerSecond: -1, Log: slog.New(slog.NewTextHandler(log, nil))}), log
}

func TestServeClosesTheMonth(t *testing.T) {
	serving(t, nil, func(t *testing.T, d *fixture, _ *pipes, _ func() error) {
		d.Buy("a", 1_500_000, d.Sell(d.Vintages[0], 10, 620))
		d.Clock.Set(testNow.AddDate(0, 1, 0))
		time.Sleep(monthCheck + time.Second)
		synctest.Wait()
		n := d.Number("SELECT count(*) FROM retirement_requests WHERE status = 'CLOSED'")
		must.Equal(t, n, 1, "the month is still open")
	})
}

func TestForwardClockJumpIsIgnored(t *testing.T) {
	var log bytes.Buffer
	serving(t, slog.New(slog.NewTextHandler(&log, nil)), func(t *testing.T, d *fixture, _ *pipes, _ func() error) {
		order := d.Sell(d.Vintages[0], 10, 620)
		id := d.Buy("a", 1_500_000, order)
		wait := func() {
			time.Sleep(monthCheck + time.Second)
			synctest.Wait()
		}
		wait()
		d.Clock.Set(farFuture)
		wait()
		d.Buy("b", 20, order)
		d.want(id, retirement.Open, 1_500_020)
		must.Equal(t, d.openMonth(), "2026-11", "the open month is")
		must.Equal(t, strings.Count(log.String(), "ignoring a jump of the clock"), 1, "the log reports the jump", &log)
		n := d.Number("SELECT count(*) FROM trades WHERE executed_at > $1", testNow.AddDate(0, 0, 1).UnixMilli())
		must.Equal(t, n, 0)
		d.Clock.Set(december)
		wait()
		d.want(id, retirement.Closed, 1_000_000)
		must.Equal(t, d.openMonth(), "2026-12", "the clock is right again, and the open month is")
	})
}

func TestTimePasses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		jump bool
		pass time.Duration
	}{"while a jump is ignored": {true, 40 * 24 * time.Hour},
		"in a long sleep of a running process": {false, 5 * exchange.MaxJump}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				wall, begin := newClock(), time.Now()
				c := &steadyClock{wall: func() time.Time { return wall.Now().Add(time.Since(begin)) },
					log: slog.New(slog.DiscardHandler)}
				c.watch()
				if test.jump {
					wall.Set(farFuture)
				}
				time.Sleep(test.pass)
				got, want := c.now(), testNow.Add(test.pass)
				must.Hold(t, got.Equal(want), "it shows", got, want)
			})
		})
	}
}

// A service that started with a wrong clock does not wait for 2099 after the clock is right.
func TestMonthOpenedByWrongClockIsCorrected(t *testing.T) {
	t.Parallel()
	d, log := logged(t, "")
	order := d.Sell(d.Vintages[0], 10, 620)
	d.Buy("a", 1_500_000, order)
	d.Clock.Set(farFuture)
	err := d.catchUp(t.Context())
	must.Hold(t, err == nil && strings.Contains(log.String(), "service was not running"), err, log)
	d.Clock.Set(testNow)
	id := d.Buy("b", 1_500_000, order)
	must.Hold(t, d.openMonth() == "2026-11" &&
		d.Number("SELECT count(*) FROM audit WHERE action = 'correct month'") == 1, "open month", d.openMonth())
	d.Clock.Set(farFuture)
	d.CloseMonth()
	d.Clock.Set(testNow)
	err = d.catchUp(t.Context())
	must.Hold(t, err == nil && strings.Contains(log.String(), "was in the future") && d.openMonth() == "2026-11", err,
		d.openMonth(), log)
	d.Clock.Set(december)
	must.Equal(t, d.Retirement(id).Status, retirement.Closed, "at the end of the month the request is")
	d.CheckBooks()
}
