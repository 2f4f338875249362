package cli

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"tonne/ui/cli/terminal"
)

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
		checkFields(t, r.stdout, "at,change,project_id,project_name,vintage_id,wallet_type,quantity_grams,was_quantity_grams,execution_date,type,price_cents", 2)
		for _, want := range []string{`"change":"trade"`, `"quantity_grams":"3999980","was_quantity_grams":"999980"`} {
			if !strings.Contains(r.stdout, want) {
				t.Errorf("the output lacks %s:\n%s", want, r.stdout)
			}
		}
	})
}
