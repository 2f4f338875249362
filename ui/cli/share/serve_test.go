package share

import (
	"context"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api/session"
	"tonne/ui"
)

// busy is a feed that always has news.
type busy struct{ ui.Feed }

func (busy) Next(context.Context) ([]session.Event, error) {
	return []session.Event{session.MarketEvent{}}, nil
}

func TestDashboardsTakeTheirNewsInTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one := session.NewLimiter(1)
		first, second := &pacedFeed{Feed: busy{}, limiter: one}, &pacedFeed{Feed: busy{}, limiter: one}
		next := func(o *pacedFeed) (took time.Duration) {
			t.Helper()
			began := time.Now()
			if events, err := o.Next(t.Context()); err != nil || len(events) != 1 {
				t.Errorf("%v, %v", events, err)
			}
			return time.Since(began)
		}
		if took := next(first); took != 0 {
			t.Errorf("the first waits %s for nobody", took)
		}
		// The first does not come back: its terminal takes no output.
		if took := next(second); took != session.LongestHold {
			t.Errorf("the second waits %s", took)
		}
		if took := next(second); took != shortestTurn {
			t.Errorf("who comes back at once waits %s", took)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := first.Next(ctx); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		time.Sleep(time.Second)
		if took := next(&pacedFeed{Feed: busy{}, limiter: one}); took != 0 {
			t.Errorf("there is a turn that is never over: another waits %s", took)
		}
	})
}

func TestTwoHundredDashboardsHaveTheirNewsInAQuarterOfASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one, began := session.NewLimiter(1), time.Now()
		for range 200 {
			o := &pacedFeed{Feed: busy{}, limiter: one}
			if _, err := o.Next(t.Context()); err != nil {
				t.Fatal(err)
			}
			o.over()
		}
		if took := time.Since(began); took > 250*time.Millisecond {
			t.Errorf("the last has to wait %s", took)
		}
	})
}

func TestWordsAreSplitAsAShellSplitsThem(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		"market -o csv":             {"market", "-o", "csv"},
		"  market\t-o \n csv ":      {"market", "-o", "csv"},
		`--filter 'type:x ask<10'`:  {"--filter", "type:x ask<10"},
		`a"b c"'d e' ""`:            {"ab cd e", ""},
		`a\ b \"c\" "x\"y\z" 'q\z'`: {"a b", `"c"`, `x"y\z`, `q\z`},
		"$HOME `id` $(id) ; | & *":  {"$HOME", "`id`", "$(id)", ";", "|", "&", "*"},
		"":                          nil,
	} {
		if got, err := splitWords(line); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q is split into %q, %v", line, got, err)
		}
	}
	for _, line := range []string{`"a`, `'a`, `a\`, `a "b\"`} {
		if got, err := splitWords(line); err == nil {
			t.Errorf("%q is split into %q", line, got)
		}
	}
}
