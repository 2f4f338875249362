package cli

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"tonne/api/retire"
)

// A gateway may answer anything after the service retired: the call keeps its id,
// and sending it again retires nothing.
func TestNoAnswerAfterACommitMakesACallRetireTwice(t *testing.T) {
	t.Parallel()
	notSent := []int{302, 401, 403, 429}
	for name, retires := range map[string]func(r *retirer, n int, want callStatus){
		"single": (*retirer).singleAfter, "batch": (*retirer).batchAfter, "dashboard": (*retirer).deskAfter,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T) {
				r := newRetirer(t)
				n := 0
				for _, status := range []int{200, 302, 403, 422, 429, 504} {
					for _, body := range []string{"", `{"statusCode":422,"error":"SELL_ORDER_NOT_LIVE"}garbage`} {
						n++
						want := callUnknown
						if slices.Contains(notSent, status) {
							want = callNotSent
						}
						r.commitsThenAnswers(status, body)
						retires(r, n, want)
						if _, retired := r.books(); retired != int64(n)*1000 {
							t.Fatalf("%d %q: %d g are retired by %d calls", status, body, retired, n)
						}
					}
				}
			})
		})
	}
}

// commitsThenAnswers has the service commit each call that retires, and a gateway
// answer with a status and a body instead.
func (r *retirer) commitsThenAnswers(status int, body string) {
	r.before = func(w http.ResponseWriter, req *http.Request) bool {
		if req.Method != http.MethodPost {
			return false
		}
		r.service.Handler().ServeHTTP(discard{http.Header{}}, req)
		w.WriteHeader(status)
		fmt.Fprint(w, body)
		return true
	}
}

func (r *retirer) singleAfter(n int, want callStatus) {
	command := []string{"--vintage", "004bale21", "--grams", "1000", "--reference", fmt.Sprint("single-", n), "-o", "csv"}
	if got := r.retire(command...); got.status == 0 || !strings.Contains(got.stdout, ","+string(want)+",") {
		r.t.Errorf("status %d\n%s%s", got.status, got.stdout, got.stderr)
	}
	if got := r.retire(command...); got.status == 0 || !strings.Contains(got.stderr, "nothing was sent") {
		r.t.Errorf("again: status %d\n%s%s", got.status, got.stdout, got.stderr)
	}
	r.before = nil
	r.must("retire", "resume", "--allow-retire", "--yes")
	if got := r.retire(command...); got.status != 0 {
		r.t.Errorf("once it is known: status %d\n%s", got.status, got.stderr)
	}
}

func (r *retirer) batchAfter(n int, want callStatus) {
	flags, results := r.batchOf(fmt.Sprintf("%sline-%d,004bale21,1000\n", shortHeader, n))
	_ = os.Remove(results)
	if got := r.retire(flags...); got.status == 0 || r.rows(results)[0][2] != string(want) {
		r.t.Errorf("status %d, %v\n%s", got.status, r.rows(results), got.stderr)
	}
	r.before = nil
	for range 2 {
		if got := r.retire(flags...); got.status != 0 {
			r.t.Errorf("again: status %d\n%s", got.status, got.stderr)
		}
	}
}

func (r *retirer) deskAfter(n int, want callStatus) {
	o, leave := retireDeskWith(r.t, r.world, "--allow-retire")
	defer leave()
	call := deskCall(fmt.Sprint("tonne-", n), fmt.Sprint("desk-", n), 1000)
	got, err := o.Retire.SendNew(r.t.Context(), call, nil)
	if err != nil || statusOf(&got) != want {
		r.t.Errorf("%+v, %v", got, err)
	}
	r.before = nil
	if got, err := o.Retire.Resume(r.t.Context(), call.ExternalID, nil); err != nil || got.State != retire.Done || got.Elsewhere {
		r.t.Errorf("resumed: %+v, %v", got, err)
	}
}
