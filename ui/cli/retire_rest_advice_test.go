package cli

import (
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"tonne/api/retire"
	"tonne/ui/cli/command"
)

// refuseCall makes the service refuse the n-th retirement call from now on.
func (r *retirer) refuseCall(n int64) {
	var calls atomic.Int64
	r.before = func(w http.ResponseWriter, req *http.Request) bool {
		if req.Method != http.MethodPost || calls.Add(1) != n {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = w.Write([]byte(`{"statusCode":422,"error":"SELL_ORDER_SUPPLY_TOO_LOW","message":"No"}`))
		return true
	}
}

// A user who follows the advice must retire only the rest. 45 t take calls of 3 t, 5 t and
// 37 t.
func TestAdviceAfterRefusalRetiresOnlyRest(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]struct{ retired, rest string }{2: {"3 t", "42000000"}, 3: {"8 t", "37000000"}} {
		r := newRetirer(t)
		args := []string{"--vintage", "004bale21", "--tonnes", "45", "-o", "json"}
		r.refuseCall(n)
		got := r.retire(args...)
		f := got.object(t)
		if got.status != command.StatusNotFound || !containsAll(f.Message, want.retired+" of 45 t are retired") || !containsAll(f.Next, "give --grams "+want.rest+" to retire the rest", "the same command would retire 45 t more") {
			t.Errorf("call %d refused: status %d\n%s", n, got.status, got.stderr)
		}
		if strings.Contains(got.stderr, "again") || strings.Contains(got.stderr, "--tonnes 45") || f.Retryable {
			t.Errorf("call %d refused: the advice would retire it twice:\n%s", n, got.stderr)
		}
		r.before = nil
		if out := r.must("retire", "pending", "-o", "json"); strings.TrimSpace(out) != "[]" {
			t.Errorf("calls of the rest are still pending:\n%s", out)
		}
		if got := r.retire("--vintage", "004bale21", "--grams", want.rest); got.status != 0 {
			t.Errorf("the rest: status %d\n%s", got.status, got.stderr)
		}
		if _, retired := r.totals(); retired != 45e6 {
			t.Errorf("call %d refused: %d g retired", n, retired)
		}
	}
}

// If a resumed call is refused, repeating the original command would retire everything
// again.
func TestAdviceAfterRefusedResumeDoesNotRepeatAll(t *testing.T) {
	t.Parallel()
	for reference, harmful := range map[string]bool{"": true, "multi": false} {
		inBubble(t, func(t *testing.T) {
			r := newRetirer(t)
			status := http.StatusUnauthorized
			r.before = func(w http.ResponseWriter, req *http.Request) bool {
				if req.Method == http.MethodPost {
					w.Header().Set("Content-Type", "application/json")
					w.WriteHeader(status)
					_, _ = w.Write([]byte(`{"statusCode":422,"error":"SELL_ORDER_SUPPLY_TOO_LOW","message":"No"}`))
				}
				return req.Method == http.MethodPost
			}
			r.retire("--vintage", "004bale21", "--tonnes", "3", "--reference", reference)
			status = http.StatusUnprocessableEntity
			got := r.run("retire", "resume", "--allow-retire", "--yes")
			if got.status != command.StatusNotFound || strings.Contains(got.stderr, "ive --vintage 004bale21 --grams 3000000 for the refused part") != harmful {
				t.Errorf("reference %q: status %d\n%s", reference, got.status, got.stderr)
			}
			if strings.Contains(got.stderr, "again") {
				t.Errorf("reference %q: the advice repeats a command:\n%s", reference, got.stderr)
			}
		})
	}
}

// A full disk or closed pipe can be noticed after the call.
func TestOutputErrorAfterRetirementDoesNotSuggestRepeating(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	r.unwritable = syscall.ENOSPC
	got := r.retire("--vintage", "004bale21", "--tonnes", "3")
	r.unwritable = nil
	if _, retired := r.totals(); retired != 3e6 || got.status != command.StatusFailed || strings.Contains(got.stderr, "again") ||
		!containsAll(got.stderr, "Free some space; nothing is left to retire: the same command would retire 3 t more") {
		t.Errorf("%d g retired, status %d\n%s", retired, got.status, got.stderr)
	}
}

// Another program may resume a confirmed call while this one still sends earlier calls.
func TestCallSentByAnotherProgramIsNotReportedUnsent(t *testing.T) {
	t.Parallel()
	for name, ended := range map[string]bool{"sending": false, "sent": true} {
		r := newRetirer(t)
		resumed := false
		r.before = func(_ http.ResponseWriter, req *http.Request) bool {
			if req.Method != http.MethodPost || resumed {
				return false
			}
			resumed = true
			other := otherProgram(t, r.env["XDG_DATA_HOME"], "", !ended)
			c := must(other.Calls(t.Context(), retire.OfService))[1]
			other.Account = c.Account
			sendElsewhere(t, func() (retire.Call, error) { return other.Resume(t.Context(), c.ExternalID, nil) })
			return false
		}
		got := r.retire("--vintage", "004bale21", "--tonnes", "45", "-o", "csv")
		_, retired := r.totals()
		switch {
		case ended && (got.status != 0 || !strings.Contains(got.stdout, ",done,00m1,") || retired != 40e6):
			t.Errorf("%s: status %d, %d g retired\n%s%s", name, got.status, retired, got.stdout, got.stderr)
		case !ended && (got.status != command.StatusUnreachable || !strings.Contains(got.stdout, ",unknown,") || !strings.Contains(got.stderr, "tonne retire pending") || retired != 3e6):
			t.Errorf("%s: status %d, %d g retired\n%s%s", name, got.status, retired, got.stdout, got.stderr)
		}
	}
}

func TestDryRunJSONOmitsFinishedCalls(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	args := []string{"--vintage", "004bale21", "--tonnes", "45", "--reference", "multi"}
	r.refuseCall(2)
	r.retire(args...)
	r.before = nil
	var plan struct {
		Calls []struct {
			Quantity string `json:"quantity_grams"`
		}
		Cost     string `json:"cost_cents"`
		MostCost string `json:"most_cost_cents"`
	}
	r.read(r.must(append([]string{"retire", "--allow-retire", "--dry-run", "-o", "json"}, args...)...), &plan)
	var quantities []string
	for _, c := range plan.Calls {
		quantities = append(quantities, c.Quantity)
	}
	if got := strings.Join(quantities, " "); got != "5000000 37000000" || plan.Cost != "25990" || plan.MostCost != "25990" {
		t.Errorf("%s, %+v", got, plan)
	}
	if _, retired := r.totals(); retired != 3e6 {
		t.Errorf("%d g retired", retired)
	}
}
