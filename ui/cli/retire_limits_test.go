package cli

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"tonne/api/marketplace/marketplacetest"
	"tonne/ui/cli/command"
)

// retireOutside retires from the wallet without the journal, like another program of the
// tenant.
func (r *retirer) retireOutside(id, grams string) {
	r.t.Helper()
	w := marketplacetest.Call(r.service, r.env["TONNE_API_KEY"], "POST", "/api/caas/request-retirement", fmt.Sprintf(
		`{"vintage_id":"004bale21","quantity_grams":%q,"external_id":%q,"sell_order_id":"006c","expected_price_cents":"620"}`, grams, id))
	if w.Code != http.StatusOK {
		r.t.Fatal(w.Code, w.Body)
	}
}

// halves has three lines of 1.5 t from one order. With half a tonne in the wallet they buy 1,
// 2 and 1 t for $24.80. If another program empties the wallet before each line, they buy 6 t
// for $37.20.
const halves = "reference,vintage_id,quantity_grams,sell_order_id\na,004bale21,1500000,006c\nb,004bale21,1500000,006c\nc,004bale21,1500000,006c\n"

// spent returns the cost of all trades but the first, in cents.
func (r *retirer) spent() int64 {
	c := marketplacetest.Client{TB: r.t, Service: r.service}
	return c.Number(`SELECT coalesce(sum(quantity_grams / 1000000 * price_cents), 0) FROM trades WHERE type = 'BUY'`) - 620
}

func TestMaxCostHoldsIfWalletShrinks(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	r.retireOutside("before", "500000")
	flags, results := r.batchOf(halves)
	r.before = func(_ http.ResponseWriter, req *http.Request) bool {
		if req.Method == http.MethodPost {
			r.retireOutside(fmt.Sprint("aside-", r.sent.Load()), "500000")
		}
		return false
	}
	got := r.retire(append(flags, "--max-cost", "3100")...)
	if f := strings.Join(summary(r.rows(results)), "; "); got.status != command.StatusNotFound || f != "a done 500000 1 620; b done 0 2 1240; c not_sent 0 0 0" {
		t.Errorf("status %d, results %s\n%s", got.status, f, got.stderr)
	}
	if spent := r.spent(); spent > 3100 || !strings.Contains(got.stderr, "more than the $31.00 that --max-cost allows") {
		t.Errorf("%d cents spent\n%s", spent, got.stderr)
	}
}

func TestMaxCostUsesWorstCaseOfBatch(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	r.retireOutside("before", "500000")
	flags, results := r.batchOf(halves)
	got := r.retire(append(flags, "--max-cost", "3099")...)
	if got.status != command.StatusNotFound || r.sent.Load() != 0 || !strings.Contains(got.stderr, "it costs $24.80, and up to $31.00 if another user empties the wallet first") {
		t.Errorf("status %d, %d sent\n%s", got.status, r.sent.Load(), got.stderr)
	}
	for range 2 {
		got = r.retire(append(flags, "--max-cost", "3100")...)
		if f := strings.Join(summary(r.rows(results)), "; "); got.status != 0 || f != "a done 500000 1 620; b done 0 2 1240; c done 500000 1 620" || r.spent() != 2480 {
			t.Errorf("status %d, results %s\n%s", got.status, f, got.stderr)
		}
	}
}

// Resuming a pending call of an earlier run may carry it out, so the limits of this run
// apply.
func TestLimitsApplyToPendingCalls(t *testing.T) {
	t.Parallel()
	for _, limit := range []string{"--max-cost=2439", "--max-price=609"} {
		inBubble(t, func(t *testing.T) {
			r := newRetirer(t)
			flags, _ := r.batchOf(shortHeader + "a,004bale21,4000000\nb,004bale21,20\n")
			id := r.leaveUnknown(flags, false)
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

func TestPlanShowsMaximumCost(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	r.retireOutside("before", "500000")
	plan := []string{"--vintage", "004bale21", "--grams", "1500000", "--order", "006c", "--dry-run"}
	if got := r.retire(append(plan, "-o", "json")...); !strings.Contains(got.stdout, `"cost_cents":"620","most_cost_cents":"1240"`) {
		t.Errorf("%s%s", got.stdout, got.stderr)
	}
	if got := r.retire(plan...); !strings.Contains(got.stdout, "at most, if another user empties the wallet first") || !strings.Contains(got.stdout, "$12.40") {
		t.Errorf("%s%s", got.stdout, got.stderr)
	}
	plan[3] = "1000000"
	if got := r.retire(plan...); strings.Contains(got.stdout, "at most") {
		t.Errorf("%s%s", got.stdout, got.stderr)
	}
}
