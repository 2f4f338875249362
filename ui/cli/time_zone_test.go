package cli

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tonne/ui/cli/terminal"
)

// withoutZone matches a date or time without a time zone.
var withoutZone = regexp.MustCompile(`(\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d)( +([^A-Z+-]|[A-Z]+[^A-Z ])|\n|$)`)

func TestTableDatesHaveTimeZone(t *testing.T) {
	t.Parallel()
	day := func(year int, month time.Month, d int) string {
		return time.Date(year, month, d, 10, 0, 0, 0, time.UTC).Local().Format("2006-01-02 MST")
	}
	w := newWorld(t, new(service))
	for command, want := range map[string]string{
		"inventory": day(2026, 3, 1), "inventory --trades": day(2026, 1, 1), "retirement R1": day(2026, 2, 1),
	} {
		if out := w.must(strings.Fields(command)...); !strings.Contains(out, want) || withoutZone.MatchString(out) {
			t.Errorf("tonne %s: want %q and no date without a zone:\n%s", command, want, out)
		}
	}
}

func TestKeysListDatesHaveTimeZone(t *testing.T) {
	t.Parallel()
	w, db := newWorld(t, nil), filepath.Join(t.TempDir(), "market.db")
	w.must("serve", "keys", "create", "--db", db, "--tenant", "acme", "--create-tenant")
	if out := w.must("serve", "keys", "list", "--db", db); !strings.Contains(out, time.Now().Format("MST")) || withoutZone.MatchString(out) {
		t.Errorf("want the zone %s:\n%s", time.Now().Format("MST"), out)
	}
}

func TestInventoryWatchAppliesFilters(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		for _, c := range []struct {
			was, now string
			args     []string
			want     bool
		}{
			{`"710"`, `"720"`, []string{"--trade-type", "buy"}, true},
			{`"710"`, `"720"`, []string{"--trade-type", "sell"}, false},
			{`"999980"`, `"999990"`, []string{"--wallet-min-quantity", "1"}, true},
			{`"999980"`, `"999990"`, []string{"--wallet-min-quantity", "1000000"}, false},
			{`"999980"`, `"1000000"`, []string{"--wallet-min-quantity", "1000000"}, true},
		} {
			if out := watchOnce(t, "/api/inventory", c.was, c.now, append([]string{"inventory", "--watch"}, c.args...)...); (out != "") != c.want {
				t.Errorf("%v: %q", c, out)
			}
		}
	})
}

// watchOnce returns the output of a command for a change between two polls.
func watchOnce(t *testing.T, path, was, now string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	var polls atomic.Int32
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		new(service).ServeHTTP(answer, r)
		text := answer.Body.String()
		if r.URL.Path == path && r.URL.Query().Get("page") != "2" {
			polls.Add(1)
		}
		if polls.Load() > 1 {
			text = strings.ReplaceAll(text, was, now)
		}
		if polls.Load() > 2 {
			cancel(&terminal.SignalError{Signal: 15})
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(text))
	})
	return newWorld(t, handler).runContext(ctx, args...).stdout
}

func TestWatchTimesHaveTimeZone(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		for what, out := range map[string]string{
			"order":   watchOnce(t, "/api/market", `"620"`, `"630"`, "market", "--watch"),
			"balance": watchOnce(t, "/api/inventory", `"999980"`, `"999990"`, "inventory", "--watch"),
			"trade":   watchOnce(t, "/api/inventory", `"710"`, `"720"`, "inventory", "--watch"),
		} {
			zone := time.Now().Format("MST")
			if !regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d `+regexp.QuoteMeta(zone)+`  \w`).MatchString(out) || withoutZone.MatchString(out) {
				t.Errorf("%s: want the zone %s:\n%s", what, zone, out)
			}
		}
	})
}
