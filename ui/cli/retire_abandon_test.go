package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"tonne/api/marketplace/marketplacetest"
	"tonne/ui/cli/command"
)

// stuck runs a batch whose first call has its effect, though nobody hears of
// it, and returns the id of the call.
func (r *retirer) stuck(flags []string, effect bool) string {
	r.t.Helper()
	r.before = func(w http.ResponseWriter, req *http.Request) bool {
		if req.Method != http.MethodPost {
			return false
		}
		if effect {
			r.service.Handler().ServeHTTP(discard{http.Header{}}, req)
		}
		w.WriteHeader(http.StatusInternalServerError)
		return true
	}
	if got := r.retire(flags...); got.status != command.StatusUnreachable {
		r.t.Fatalf("status %d\n%s", got.status, got.stderr)
	}
	r.before = nil
	var pending []pendingID
	if err := json.Unmarshal([]byte(r.must("retire", "pending", "-o", "json")), &pending); err != nil || len(pending) != 1 {
		r.t.Fatalf("pending %v, %v", pending, err)
	}
	return pending[0].ID
}

// request is the id of a retirement request of the service.
func (r *retirer) request() string {
	c := marketplacetest.Client{TB: r.t, Service: r.service, Key: r.env["TONNE_API_KEY"]}
	return c.Text(`SELECT id FROM retirement_requests ORDER BY id LIMIT 1`)
}

type discard struct{ header http.Header }

func (d discard) Header() http.Header { return d.header }

func (discard) Write(text []byte) (int, error) { return len(text), nil }

func (discard) WriteHeader(int) {}

// Nobody but a person ends what nobody knows: until they say what became of a
// call that was given up, its batch says so; then it goes on, or is done.
func TestAPersonSaysWhatBecameOfACallThatWasGivenUp(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, flags, want string
		effect            bool
		sent, retired     int64
	}{
		{"carried out", "--carried-out=REQUEST", "a done 0 4 2440; b done 0 1 600", true, 1, 4_000_020},
		{"not carried out", "--not-carried-out --yes", "a done 999980 4 2440; b done 0 1 600", false, 2, 4_000_020},
	} {
		inBubble(t, func(t *testing.T) {
			r := newRetirer(t)
			flags, results := r.batchOf(shortHeader + "a,004bale21,4000000\nb,004bale21,20\n")
			id := r.stuck(flags, tt.effect)
			for _, what := range []string{"not known", "given up"} {
				got := r.retire(append(flags, "--dry-run")...)
				if got.status != command.StatusUnreachable || !saidAll(got.stdout, "unknown", "planned") || !strings.Contains(got.stderr, what) {
					t.Errorf("the plan: status %d\n%s%s", got.status, got.stdout, got.stderr)
				}
				if what == "not known" {
					r.must("retire", "abandon", id)
				}
			}
			got := r.retire(flags...)
			if got.status != command.StatusUnreachable || !strings.Contains(got.stderr, id+".\n") || !strings.Contains(got.stderr, "--carried-out REQUEST") {
				t.Errorf("%s: status %d\n%s", tt.name, got.status, got.stderr)
			}
			before := r.sent.Load()
			said := append([]string{"retire", "abandon", id}, strings.Fields(strings.ReplaceAll(tt.flags, "REQUEST", r.request()))...)
			if told := r.run(said...); told.status != 0 || !strings.Contains(told.stderr, id+" is settled.") {
				t.Errorf("%s: status %d\n%s", tt.name, told.status, told.stderr)
			}
			got = r.retire(flags...)
			if rows := strings.Join(told(r.rows(results)), "; "); got.status != 0 || rows != tt.want || r.sent.Load()-before != tt.sent-1 {
				t.Errorf("%s: status %d, %d more sent, results %s\n%s", tt.name, got.status, r.sent.Load()-before, rows, got.stderr)
			}
			if _, retired := r.books(); retired != tt.retired {
				t.Errorf("%s: %d g are retired", tt.name, retired)
			}
			if r := r.run(said...); r.status != command.StatusNotFound {
				t.Errorf("%s again: status %d\n%s", tt.name, r.status, r.stderr)
			}
		})
	}
}

func TestWhatAPersonFoundOutIsSaidOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, flags := range []string{"--carried-out=", "--carried-out=\x1b[2J", "--carried-out= ", "--carried-out=00m/1", "--carried-out=R1 --not-carried-out"} {
		if r := w.run(append([]string{"retire", "abandon", "tonne-1"}, strings.Split(flags, " ")...)...); r.status != command.StatusUsage {
			t.Errorf("%q: status %d\n%s", flags, r.status, r.stderr)
		}
	}
}

// Who says that a call had no effect has its line sent anew: a script says --yes
// to that, and a person the quantity.
func TestACallIsNotSaidToHaveHadNoEffectUnconfirmed(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r := newRetirer(t)
		flags, _ := r.batchOf(shortHeader + "a,004bale21,4000000\n")
		id := r.stuck(flags, true)
		got := r.run("retire", "abandon", id, "--not-carried-out")
		if _, todo := got.sentences(t); got.status != command.StatusUsage || !strings.Contains(todo, "--yes") {
			t.Errorf("status %d\n%s", got.status, got.stderr)
		}
		if got := r.retire(flags...); got.status != 0 {
			t.Errorf("the call is settled: status %d\n%s", got.status, got.stderr)
		}
		if _, retired := r.books(); retired != 4_000_000 {
			t.Errorf("%d g are retired", retired)
		}
		if got := r.run("retire", "abandon", id, "--not-carried-out"); got.status != command.StatusNotFound {
			t.Errorf("a call that is done: status %d\n%s", got.status, got.stderr)
		}
	})
}

// A call that was confirmed and never sent is in no request, whatever id somebody
// typed.
func TestACallThatWasNeverSentIsNotSaidToBeCarriedOut(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r := newRetirer(t)
		r.cut()
		r.retire("--vintage", "004bale21", "--tonnes", "45", "--reference", "multi")
		r.before = nil
		var pending []pendingID
		r.read(r.must("retire", "pending", "-o", "json"), &pending)
		got := r.run("retire", "abandon", pending[1].ID, "--carried-out", "00mfound")
		if what, todo := got.sentences(t); got.status != command.StatusFailed || !saidAll(what, "was never sent") || !saidAll(todo, "tonne retire pending") {
			t.Errorf("status %d\n%s", got.status, got.stderr)
		}
		got = r.run("retire", "abandon", pending[0].ID, "--carried-out", r.request())
		if got.status != 0 || !saidAll(got.stderr, "is settled. It was carried out, in the request "+r.request()) || strings.Contains(got.stderr, "given up") {
			t.Errorf("status %d\n%s", got.status, got.stderr)
		}
		if got := r.run("retire", "abandon", pending[1].ID); got.status != 0 || !saidAll(got.stderr, "is given up. It was never carried out.") {
			t.Errorf("status %d\n%s", got.status, got.stderr)
		}
	})
}

// What a person says of a call cannot be taken back: the service knows whether the
// request is there, and of which vintage.
func TestARequestThatACallIsSaidToBeInIsLookedUp(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r := newRetirer(t)
		flags, _ := r.batchOf(shortHeader + "a,004bale21,4000000\n")
		id := r.stuck(flags, true)
		request := r.request()
		for _, tt := range []struct {
			request, vintage string
			status           int
			said             string
		}{
			{"00mnotexisting00000", "", command.StatusNotFound, "the marketplace has no retirement request 00mnotexisting00000"},
			{"foo bar", "", command.StatusUsage, "--carried-out names no request"},
			{request, "004other", command.StatusFailed, "is of the vintage 004other, and the call of 004bale21"},
		} {
			r.before = func(w http.ResponseWriter, req *http.Request) bool {
				if tt.vintage != "" {
					fmt.Fprintf(w, `{"id":%q,"status":"OPEN","total_quantity":"20","type":"FRACTIONALISED","project_id":"003a","vintage_id":%q,"created_at":"2026-11-22T10:00:00.000Z"}`, request, tt.vintage)
				}
				return tt.vintage != ""
			}
			got := r.run("retire", "abandon", id, "--carried-out", tt.request)
			if got.status != tt.status || !saidAll(got.stderr, tt.said) {
				t.Errorf("%s: status %d\n%s", tt.request, got.status, got.stderr)
			}
			if out := r.must("retire", "pending", "-o", "json"); !saidAll(out, id) {
				t.Fatalf("%s: the call is settled", tt.request)
			}
		}
		r.before = nil
		if got := r.run("retire", "abandon", id, "--carried-out", request); got.status != 0 || strings.Contains(got.stderr, "looked up") {
			t.Errorf("status %d\n%s", got.status, got.stderr)
		}
	})
}

func TestAPersonIsBelievedWhileTheServiceGivesNoAnswer(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r := newRetirer(t)
		flags, _ := r.batchOf(shortHeader + "a,004bale21,4000000\n")
		id := r.stuck(flags, true)
		r.before = func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(http.StatusInternalServerError)
			return true
		}
		got := r.run("retire", "abandon", id, "--carried-out", "00mfound")
		if got.status != 0 || !saidAll(got.stderr, "00mfound could not be looked up, and is taken as you say", "is settled.") {
			t.Errorf("status %d\n%s", got.status, got.stderr)
		}
	})
}
