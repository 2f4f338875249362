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
	"tonne/api/marketplace/marketplacetest"
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
	if r.Status != status || r.TotalQuantity != total {
		d.Errorf("%s with %d g, want %s with %d g", r.Status, r.TotalQuantity, status, total)
	}
	return r
}

func TestStates(t *testing.T) {
	eachEngine(t, func(t *testing.T, d *fixture) {
		order := d.Sell(d.Vintages[0], 5000, 620)
		id := d.Buy("a", 2_500_200_000, order)
		t.Run("section 3: OPEN, more credits can be added, only FRACTIONALISED", func(t *testing.T) {
			d.Buy("c", 800_001, order)
			d.want(id, retirement.Open, 2_501_000_001)
			if whole := d.Retirement(d.Buy("d", 1_000_000, order)); whole.Status == retirement.Open || whole.Type != retirement.Whole {
				t.Errorf("%+v", whole)
			}
		})
		d.CloseMonth()
		t.Run("section 3: CLOSED, no more can be added, pending settlement of invoices", func(t *testing.T) {
			if next := d.Buy("e", 7, order); next == id {
				t.Error("credits were added to a closed request")
			}
			if r := d.want(id, retirement.Closed, 2_501_000_000); r.AllInvoicesSettled != model.No || r.Status.Final() {
				t.Errorf("%+v", r)
			}
			if err := d.Complete(id); !errors.Is(err, exchange.ErrNotInProgress) {
				t.Errorf("completing it: %v", err)
			}
		})
		t.Run("section 3: settlement of the invoices moves CLOSED to IN_PROGRESS", func(t *testing.T) {
			invoice := d.Retirement(id).Items[0].InvoiceID
			if unknown, first, again := d.Settle("00inope"), d.Settle(invoice), d.Settle(invoice); first != nil ||
				!errors.Is(unknown, exchange.ErrUnknownInvoice) || !errors.Is(again, exchange.ErrAlreadySettled) {
				t.Errorf("%v, %v, %v", unknown, first, again)
			}
			d.Buy("f", 7, order)
			r := d.want(id, retirement.InProgress, 2_501_000_000)
			if r.AllInvoicesSettled != model.Yes || r.CertificateURL != "" || len(r.SerialNumbers) != 0 || r.RetiredAt.Known() {
				t.Errorf("%+v", r)
			}
		})
		t.Run("section 3: COMPLETE has retired_at, serial numbers and certificate", func(t *testing.T) {
			d.Clock.Set(testNow.Add(time.Hour))
			must.Succeed(t, d.Complete(id))
			r := d.want(id, retirement.Complete, 2_501_000_000)
			if !r.RetiredAt.Time.Equal(testNow.Add(time.Hour)) || r.CertificateURL == "" || verraTonnes(t, r.SerialNumbers) != 2501 || len(r.SerialNumbers) < 2 {
				t.Errorf("%+v", r)
			}
			for i, detail := range []string{"OPEN", "OPEN to CLOSED", "CLOSED to IN_PROGRESS", "IN_PROGRESS to COMPLETE"} {
				if got := d.Text("SELECT detail FROM audit WHERE subject = $1 ORDER BY number LIMIT 1 OFFSET $2", id, i); got != detail {
					t.Errorf("audit entry %d is %q, want %q", i, got, detail)
				}
			}
		})
		t.Run("section 3: closing with total_quantity 0 is NOTHING_TO_PROCESS", func(t *testing.T) {
			less := d.Buy("g", 5, "")
			if end := d.CloseMonth(); end.NothingToProcess != 1 {
				t.Errorf("%+v", end)
			}
			if r := d.want(less, retirement.NothingToProcess, 0); len(r.Items) != 0 {
				t.Errorf("%+v", r)
			}
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
		if err != nil || start <= last || end < start || parts[9] != "1340" {
			t.Errorf("serial number %q after %d", serial, last)
		}
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
		d.Clock.Set(december)
		closed := d.want(november, retirement.Closed, 4*model.GramsPerTonne)
		next := d.Buy("d", 10, order)
		open := d.want(next, retirement.Open, 350_010)
		if next == november || open.Items[0].Quantity != 350_000 || open.Items[0].TradeID != closed.Items[2].TradeID {
			t.Errorf("the fraction that moved: %+v", open.Items[0])
		}
		// A service that was stopped for months ends all of them, once.
		d.Clock.Set(december.AddDate(0, 4, 0))
		if d.want(next, retirement.NothingToProcess, 0); d.openMonth() != "2027-04" {
			t.Errorf("the open month is %s", d.openMonth())
		}
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
	if r := d.want(d.Buy("c", 1_000_000, ""), retirement.InProgress, 1_000_000); r.AllInvoicesSettled != model.Yes {
		t.Errorf("%+v", r)
	}
}

// Requests wait for the same invoices if the clock was set back.
func TestClockSetBackBeforeTheMonthIsClosed(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	id := d.Buy("a", 1_500_000, d.Sell(d.Vintages[0], 10, 620))
	d.Clock.Set(testNow.Add(-time.Hour))
	d.CloseMonth()
	if r := d.want(id, retirement.Closed, 1_000_000); r.AllInvoicesSettled != model.No {
		t.Errorf("the request does not wait for its invoice: %+v", r)
	}
}

func TestAdvanceMovesOneStepAtATime(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	id := d.Buy("a", 1_500_000, d.Sell(d.Vintages[0], 10, 620))
	for _, want := range []retirement.Status{retirement.Closed, retirement.InProgress, retirement.Complete, retirement.Complete} {
		d.Advance(1)
		d.want(id, want, 1_000_000)
	}
	d.Advance(10)
	if n := d.Number("SELECT count(*) FROM retirement_requests"); n > 4 {
		t.Errorf("the fraction became %d requests", n)
	}
	d.CheckBooks()
}

// logged is a fixture whose log the test reads.
func logged(t *testing.T, path string) (d *fixture, log *bytes.Buffer) {
	t.Helper()
	log = new(bytes.Buffer)
	return openFixture(t, path, Options{RatePerSecond: -1, Log: slog.New(slog.NewTextHandler(log, nil))}), log
}

func TestServeClosesTheMonth(t *testing.T) {
	serving(t, func(t *testing.T, d *fixture, _ *marketplacetest.Pipes, _ func() error) {
		d.Buy("a", 1_500_000, d.Sell(d.Vintages[0], 10, 620))
		d.Clock.Set(testNow.AddDate(0, 1, 0))
		time.Sleep(monthCheck + time.Second)
		synctest.Wait()
		if n := d.Number("SELECT count(*) FROM retirement_requests WHERE status = 'CLOSED'"); n != 1 {
			t.Error("the month is still open")
		}
	})
}

func TestForwardClockJumpIsIgnored(t *testing.T) {
	serving(t, func(t *testing.T, d *fixture, _ *marketplacetest.Pipes, _ func() error) {
		var log bytes.Buffer
		d.Marketplace.clock.log = slog.New(slog.NewTextHandler(&log, nil))
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
		if d.want(id, retirement.Open, 1_500_020); d.openMonth() != "2026-11" {
			t.Errorf("the open month is %s", d.openMonth())
		}
		if n := strings.Count(log.String(), "ignoring a jump of the clock"); n != 1 {
			t.Errorf("the log reports the jump %d times:\n%s", n, &log)
		}
		if n := d.Number("SELECT count(*) FROM trades WHERE executed_at > $1", testNow.AddDate(0, 0, 1).UnixMilli()); n != 0 {
			t.Errorf("%d trades are in the future", n)
		}
		d.Clock.Set(december)
		wait()
		if d.want(id, retirement.Closed, 1_000_000); d.openMonth() != "2026-12" {
			t.Errorf("the clock is right again, and the open month is %s", d.openMonth())
		}
	})
}

func TestTimePasses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		jump bool
		pass time.Duration
	}{"while a jump is ignored": {true, 40 * 24 * time.Hour}, "in a long sleep of a running process": {false, 5 * exchange.MaxJump}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				wall, begin := marketplacetest.NewClock(), time.Now()
				c := &steadyClock{wall: func() time.Time { return wall.Now().Add(time.Since(begin)) }, log: slog.New(slog.DiscardHandler)}
				c.watch()
				if test.jump {
					wall.Set(farFuture)
				}
				time.Sleep(test.pass)
				if got, want := c.now(), testNow.Add(test.pass); !got.Equal(want) {
					t.Errorf("it shows %s, want %s", got, want)
				}
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
	if err := d.catchUp(t.Context()); err != nil || !strings.Contains(log.String(), "service was not running") {
		t.Errorf("%v, log:\n%s", err, log)
	}
	d.Clock.Set(testNow)
	id := d.Buy("b", 1_500_000, order)
	if d.openMonth() != "2026-11" || d.Number("SELECT count(*) FROM audit WHERE action = 'correct month'") != 1 {
		t.Errorf("open month %s", d.openMonth())
	}
	d.Clock.Set(farFuture)
	d.CloseMonth()
	d.Clock.Set(testNow)
	if err := d.catchUp(t.Context()); err != nil || !strings.Contains(log.String(), "was in the future") || d.openMonth() != "2026-11" {
		t.Errorf("%v, open month %s, log:\n%s", err, d.openMonth(), log)
	}
	d.Clock.Set(december)
	if r := d.Retirement(id); r.Status != retirement.Closed {
		t.Errorf("at the end of the month the request is %s", r.Status)
	}
	d.CheckBooks()
}
