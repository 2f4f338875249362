package cli

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"tonne/api/marketplace/marketplacetest"
	"tonne/ui/cli/command"
)

// aside retires from the wallet as another program of the tenant would.
func (r *retirer) aside(id, grams string) {
	r.t.Helper()
	w := marketplacetest.Call(r.service, r.env["TONNE_API_KEY"], "POST", "/api/caas/request-retirement", fmt.Sprintf(
		`{"vintage_id":"004bale21","quantity_grams":%q,"external_id":%q,"sell_order_id":"006c","expected_price_cents":"620"}`, grams, id))
	if w.Code != http.StatusOK {
		r.t.Fatal(w.Code, w.Body)
	}
}

// halves are lines of 1.5 t of one order, where half a tonne is in the wallet:
// 1, 2 and 1 t are to be bought, $24.80, and if somebody uses the wallet up
// before each of them, 6 t, $37.20.
const halves = "reference,vintage_id,quantity_grams,sell_order_id\na,004bale21,1500000,006c\nb,004bale21,1500000,006c\nc,004bale21,1500000,006c\n"

// spentOn is what the trades came to behind the first, in cents.
func (r *retirer) spentOn() int64 {
	c := marketplacetest.Client{TB: r.t, Service: r.service}
	return c.Number(`SELECT coalesce(sum(quantity_grams / 1000000 * price_cents), 0) FROM trades WHERE type = 'BUY'`) - 620
}

func TestTheCostLimitHoldsWhenTheWalletIsUsedUpMeanwhile(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	r.aside("before", "500000")
	flags, results := r.batchOf(halves)
	r.before = func(_ http.ResponseWriter, req *http.Request) bool {
		if req.Method == http.MethodPost {
			r.aside(fmt.Sprint("aside-", r.sent.Load()), "500000")
		}
		return false
	}
	got := r.retire(append(flags, "--max-cost", "3100")...)
	if f := strings.Join(told(r.rows(results)), "; "); got.status != command.StatusNotFound || f != "a done 500000 1 620; b done 0 2 1240; c not_sent 0 0 0" {
		t.Errorf("status %d, results %s\n%s", got.status, f, got.stderr)
	}
	if spent := r.spentOn(); spent > 3100 || !strings.Contains(got.stderr, "more than the $31.00 that --max-cost allows") {
		t.Errorf("%d cents were spent\n%s", spent, got.stderr)
	}
}

func TestACostLimitThatTheWorstCallKeepsLetsABatchThrough(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	r.aside("before", "500000")
	flags, results := r.batchOf(halves)
	got := r.retire(append(flags, "--max-cost", "3099")...)
	if got.status != command.StatusNotFound || r.sent.Load() != 0 || !strings.Contains(got.stderr, "it costs $24.80, and up to $31.00 in all") {
		t.Errorf("status %d, %d sent\n%s", got.status, r.sent.Load(), got.stderr)
	}
	for range 2 {
		got = r.retire(append(flags, "--max-cost", "3100")...)
		if f := strings.Join(told(r.rows(results)), "; "); got.status != 0 || f != "a done 500000 1 620; b done 0 2 1240; c done 500000 1 620" || r.spentOn() != 2480 {
			t.Errorf("status %d, results %s\n%s", got.status, f, got.stderr)
		}
	}
}

// What an earlier run left open may be carried out by asking again: that is held
// against the limits of the run that asks.
func TestTheLimitsHoldForCallsOfAnEarlierRun(t *testing.T) {
	t.Parallel()
	for _, limit := range []string{"--max-cost=2439", "--max-price=609"} {
		inBubble(t, func(t *testing.T) {
			r := newRetirer(t)
			flags, _ := r.batchOf(shortHeader + "a,004bale21,4000000\nb,004bale21,20\n")
			id := r.stuck(flags, false)
			before := r.sent.Load()
			got := r.retire(append(flags, limit)...)
			if got.status != command.StatusNotFound || r.sent.Load() != before || !strings.Contains(got.stderr, id) || !strings.Contains(got.stderr, "nothing was sent") {
				t.Errorf("%s: status %d, %d sent\n%s", limit, got.status, r.sent.Load()-before, got.stderr)
			}
			if got := r.retire(append(flags, "--max-cost=3040", "--max-price=610")...); got.status != 0 {
				t.Errorf("status %d\n%s", got.status, got.stderr)
			}
		})
	}
}

// Whoever confirms knows what it may come to.
func TestAPlanSaysWhatItCostsAtMost(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	r.aside("before", "500000")
	plan := []string{"--vintage", "004bale21", "--grams", "1500000", "--order", "006c", "--dry-run"}
	if got := r.retire(append(plan, "-o", "json")...); !strings.Contains(got.stdout, `"cost_cents":"620","most_cost_cents":"1240"`) {
		t.Errorf("%s%s", got.stdout, got.stderr)
	}
	if got := r.retire(plan...); !strings.Contains(got.stdout, "at most, if the wallet is used elsewhere first") || !strings.Contains(got.stdout, "$12.40") {
		t.Errorf("%s%s", got.stdout, got.stderr)
	}
	plan[3] = "1000000"
	if got := r.retire(plan...); strings.Contains(got.stdout, "at most") {
		t.Errorf("%s%s", got.stdout, got.stderr)
	}
}
