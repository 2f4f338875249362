package cli

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"tonne/ui/cli/command"
	"tonne/ui/cli/terminal"
)

func TestInventoryFlagsReachTheServiceAndLastPaidIgnoresThem(t *testing.T) {
	t.Parallel()
	s := new(service)
	newWorld(t, s).must("inventory", "--page", "2", "--per-page", "7", "--trades-per-wallet", "3", "--trade-type", "sell", "--wallet-min-quantity", "1")
	asked := strings.Join(s.asked, "\n")
	if want := "/api/inventory?page=2&per_page=7&trade_type=SELL&trades_per_wallet=3&wallet_min_quantity=1"; !strings.Contains(asked, want) {
		t.Errorf("no request is %s:\n%s", want, asked)
	}
	if want := "trade_type=BUY&trades_per_wallet=1&wallet_min_quantity=0"; !strings.Contains(asked, want) {
		t.Errorf("last paid is not asked for with %s:\n%s", want, asked)
	}
}

func TestInventoryRefusesFiltersThatAreNone(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--trade-type", "SWAP"}, {"--trades-per-wallet", "0"}, {"--wallet-min-quantity", "-1"},
		{"--wallet-min-quantity", "1.5"}, {"--wallet-min-quantity", "9223372036854775808"}, {"--page", "0"}, {"stray"},
	} {
		r := newWorld(t, new(service)).run(append([]string{"inventory"}, args...)...)
		if r.status != command.StatusUsage {
			t.Errorf("%v: status %d", args, r.status)
		}
		r.sentences(t)
	}
}

func TestTheInventoryTableTellsWhatItIsAllWorth(t *testing.T) {
	t.Parallel()
	held := strings.NewReplacer(`"999980"`, `"2000000"`)
	answer := func(market int) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/market" && market != http.StatusOK {
				w.WriteHeader(market)
				return
			}
			recorded := httptest.NewRecorder()
			new(service).ServeHTTP(recorded, r)
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(recorded.Code)
			_, _ = held.WriteString(w, recorded.Body.String())
		})
	}
	w := newWorld(t, answer(http.StatusOK))
	if got := w.must("inventory"); !slices.Equal(strings.Fields(lastLine(got)), strings.Fields("TOTAL 2 t $12.40 $12.67")) {
		t.Errorf("the totals are not there:\n%s", got)
	}
	// Some of the trades do not tell what all of it cost.
	if got := w.must("inventory", "--trades-per-wallet", "1"); !slices.Equal(strings.Fields(lastLine(got)), strings.Fields("TOTAL 2 t $12.40 -")) {
		t.Errorf("of a part of the trades:\n%s", got)
	}
	inBubble(t, func(t *testing.T) {
		r := newWorld(t, answer(http.StatusForbidden)).run("inventory")
		if r.status != command.StatusDone || !strings.Contains(r.stderr, "is worth is not known") || !slices.Equal(strings.Fields(lastLine(r.stdout)), strings.Fields("TOTAL 2 t - $12.67")) {
			t.Errorf("status %d\n%s\n%s", r.status, r.stdout, r.stderr)
		}
	})
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	return lines[len(lines)-1]
}

func TestInventoryWatchPrintsTradesAndBalances(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		polls := 0
		s := new(service)
		handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/api/inventory" || r.URL.Query().Get("page") == "2" {
				s.ServeHTTP(w, r)
				return
			}
			switch polls++; polls {
			case 1:
				s.ServeHTTP(w, r)
			case 2:
				trade := `"trades":[{"execution_date":"2026-04-01T10:00:00.000Z","quantity_grams":"3000000","price_cents":"600","type":"BUY"},`
				text := strings.NewReplacer(`"999980"`, `"3999980"`, `"trades":[{`, trade+`{`).Replace(pageOf("1", inventoryProjects(true)))
				_, _ = w.Write([]byte(text))
			default:
				cancel(&terminal.SignalError{Signal: 15})
				w.WriteHeader(http.StatusInternalServerError)
			}
		})
		r := newWorld(t, handler).runContext(ctx, "inventory", "--watch", "-o", "jsonl")
		if r.status != 143 {
			t.Errorf("status %d, want that of the signal", r.status)
		}
		sameFields(t, r.stdout, "at,change,project_id,project_name,vintage_id,wallet_type,quantity_grams,was_quantity_grams,execution_date,type,price_cents", 2)
		for _, want := range []string{`"change":"trade"`, `"quantity_grams":"3999980","was_quantity_grams":"999980"`} {
			if !strings.Contains(r.stdout, want) {
				t.Errorf("the output lacks %s:\n%s", want, r.stdout)
			}
		}
	})
}
