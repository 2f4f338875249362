package marketplace

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/model/retirement"
)

var farFuture = time.Date(2099, 7, 1, 0, 0, 0, 0, time.UTC)

// openMonth is the month of accounts that is open.
func (d *fixture) openMonth() string {
	return d.text("SELECT month FROM periods WHERE closed_at IS NULL")
}

func TestAClockThatJumpsForwardIsNotFollowed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		d := openFixture(t, "", Options{RatePerSecond: -1, Log: slog.New(slog.NewTextHandler(&log, nil))})
		order := d.sell(d.vintages[0], 10, 620)
		id := d.fraction("a", 1_500_000, order)
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error, 1)
		l := newPipes()
		go func() { served <- d.Serve(ctx, l) }()
		wait := func() {
			time.Sleep(monthCheck + time.Second)
			synctest.Wait()
		}
		wait()
		d.clock.set(farFuture)
		wait()
		d.fraction("b", 20, order)
		if r := d.lookup(id); r.Status != retirement.Open || d.openMonth() != "2026-11" {
			t.Errorf("the clock jumped: the request is %s and the open month %s", r.Status, d.openMonth())
		}
		if n := strings.Count(log.String(), "ignoring a jump of the clock"); n != 1 {
			t.Errorf("the log says %d times that the clock jumped:\n%s", n, &log)
		}
		if n := d.query("SELECT count(*) FROM trades WHERE executed_at > $1", testNow.AddDate(0, 0, 1).UnixMilli()); n != 0 {
			t.Errorf("%d trades are of the future", n)
		}
		d.clock.set(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))
		wait()
		if r := d.lookup(id); r.Status != retirement.Closed || d.openMonth() != "2026-12" {
			t.Errorf("the clock is right again: the request is %s and the open month %s", r.Status, d.openMonth())
		}
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

// Time that the process has seen pass is no jump, however long it was.
func TestAClockThatGoesOnIsFollowed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &steadyClock{wall: time.Now, log: slog.New(slog.DiscardHandler)}
		c.watch()
		time.Sleep(5 * exchange.MaxJump)
		if got, want := c.now(), time.Now().UTC().Truncate(time.Millisecond); !got.Equal(want) {
			t.Errorf("it shows %s at %s", got, want)
		}
	})
}

// While a jump is not followed, time passes all the same.
func TestTimePassesWhileAJumpIsNotFollowed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		wall := &testClock{now: testNow}
		c := &steadyClock{wall: wall.Now, log: slog.New(slog.DiscardHandler)}
		c.watch()
		wall.set(farFuture)
		time.Sleep(40 * 24 * time.Hour)
		if got, want := c.now(), testNow.Add(40*24*time.Hour); !got.Equal(want) {
			t.Errorf("it shows %s, want %s", got, want)
		}
	})
}

// A service that was started with a wrong clock does not wait for 2099 once
// the clock is right.
func TestAMonthThatAWrongClockOpenedEnds(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	d := openFixture(t, "", Options{RatePerSecond: -1, Log: slog.New(slog.NewTextHandler(&log, nil))})
	order := d.sell(d.vintages[0], 10, 620)
	d.fraction("a", 1_500_000, order)
	d.clock.set(farFuture)
	if err := d.catchUp(t.Context()); err != nil || !strings.Contains(log.String(), "service was not running") {
		t.Errorf("%v, log:\n%s", err, &log)
	}
	d.clock.set(testNow)
	id := d.fraction("b", 1_500_000, order)
	if month := d.openMonth(); month != "2026-11" {
		t.Errorf("the open month is %s", month)
	}
	d.clock.set(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))
	if r := d.lookup(id); r.Status != retirement.Closed {
		t.Errorf("at the end of the month the request is %s", r.Status)
	}
	checkBooks(t, d)
}

func TestMonthOpenedByWrongClockIsCorrectedAndLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	d := openFixture(t, "", Options{RatePerSecond: -1, Log: slog.New(slog.NewTextHandler(&log, nil))})
	d.fraction("a", 20, d.sell(d.vintages[0], 10, 620))
	d.clock.set(farFuture)
	if _, err := d.closeMonth(); err != nil {
		t.Fatal(err)
	}
	d.clock.set(testNow)
	if err := d.catchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "was in the future") || d.openMonth() != "2026-11" {
		t.Errorf("open month %s, log:\n%s", d.openMonth(), &log)
	}
	if n := d.query("SELECT count(*) FROM audit WHERE action = 'correct month'"); n != 1 {
		t.Errorf("%d corrections in the audit", n)
	}
}
