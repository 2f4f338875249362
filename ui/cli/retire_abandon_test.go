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

// leaveUnknown runs a retirement whose call gets status 500, with or without an effect,
// and returns the id of the call.
func (r *retirer) leaveUnknown(flags []string, effect bool) string {
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

// request returns the id of the first retirement request of the service.
func (r *retirer) request() string {
	c := marketplacetest.Client{TB: r.t, Service: r.service, Key: r.env["TONNE_API_KEY"]}
	return c.Text(`SELECT id FROM retirement_requests ORDER BY id LIMIT 1`)
}

type discard struct{ header http.Header }

func (d discard) Header() http.Header { return d.header }

func (discard) Write(text []byte) (int, error) { return len(text), nil }

func (discard) WriteHeader(int) {}

// Only the user can settle an abandoned call. Until then its batch fails; afterwards the
// batch continues.
func TestAbandonRecordsOutcomeAndBatchContinues(t *testing.T) {
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
			id := r.leaveUnknown(flags, tt.effect)
			for _, what := range []string{"is unknown", "abandoned"} {
				got := r.retire(append(flags, "--dry-run")...)
				if got.status != command.StatusUnreachable || !containsAll(got.stdout, "unknown", "planned") || !strings.Contains(got.stderr, what) {
					t.Errorf("the plan: status %d\n%s%s", got.status, got.stdout, got.stderr)
				}
				if what == "is unknown" {
					r.must("retire", "abandon", id)
				}
			}
			got := r.retire(flags...)
			if got.status != command.StatusUnreachable || !strings.Contains(got.stderr, id+".\n") || !strings.Contains(got.stderr, "--carried-out REQUEST") {
				t.Errorf("%s: status %d\n%s", tt.name, got.status, got.stderr)
			}
			before := r.sent.Load()
			settle := append([]string{"retire", "abandon", id}, strings.Fields(strings.ReplaceAll(tt.flags, "REQUEST", r.request()))...)
			if got := r.run(settle...); got.status != 0 || !strings.Contains(got.stderr, id+" is settled.") {
				t.Errorf("%s: status %d\n%s", tt.name, got.status, got.stderr)
			}
			got = r.retire(flags...)
			if rows := strings.Join(summary(r.rows(results)), "; "); got.status != 0 || rows != tt.want || r.sent.Load()-before != tt.sent-1 {
				t.Errorf("%s: status %d, %d more sent, results %s\n%s", tt.name, got.status, r.sent.Load()-before, rows, got.stderr)
			}
			if _, retired := r.totals(); retired != tt.retired {
				t.Errorf("%s: %d g retired", tt.name, retired)
			}
			if r := r.run(settle...); r.status != command.StatusNotFound {
				t.Errorf("%s, second time: status %d\n%s", tt.name, r.status, r.stderr)
			}
		})
	}
}

func TestAbandonRejectsInvalidOutcomeFlags(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, flags := range []string{"--carried-out=", "--carried-out=\x1b[2J", "--carried-out= ", "--carried-out=00m/1", "--carried-out=R1 --not-carried-out"} {
		if r := w.run(append([]string{"retire", "abandon", "tonne-1"}, strings.Split(flags, " ")...)...); r.status != command.StatusUsage {
			t.Errorf("%q: status %d\n%s", flags, r.status, r.stderr)
		}
	}
}

// A call marked as not carried out is sent again, so it needs --yes or the typed quantity.
func TestNotCarriedOutNeedsConfirmation(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r := newRetirer(t)
		flags, _ := r.batchOf(shortHeader + "a,004bale21,4000000\n")
		id := r.leaveUnknown(flags, true)
		got := r.run("retire", "abandon", id, "--not-carried-out")
		if _, todo := got.sentences(t); got.status != command.StatusUsage || !strings.Contains(todo, "--yes") {
			t.Errorf("status %d\n%s", got.status, got.stderr)
		}
		if got := r.retire(flags...); got.status != 0 {
			t.Errorf("status %d\n%s", got.status, got.stderr)
		}
		if _, retired := r.totals(); retired != 4_000_000 {
			t.Errorf("%d g retired", retired)
		}
		if got := r.run("retire", "abandon", id, "--not-carried-out"); got.status != command.StatusNotFound {
			t.Errorf("finished call: status %d\n%s", got.status, got.stderr)
		}
	})
}

func TestUnsentCallCannotBeCarriedOut(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r := newRetirer(t)
		r.loseResponses()
		r.retire("--vintage", "004bale21", "--tonnes", "45", "--reference", "multi")
		r.before = nil
		var pending []pendingID
		r.read(r.must("retire", "pending", "-o", "json"), &pending)
		got := r.run("retire", "abandon", pending[1].ID, "--carried-out", "00mfound")
		if what, todo := got.sentences(t); got.status != command.StatusFailed || !containsAll(what, "was never sent") || !containsAll(todo, "tonne retire pending") {
			t.Errorf("status %d\n%s", got.status, got.stderr)
		}
		got = r.run("retire", "abandon", pending[0].ID, "--carried-out", r.request())
		if got.status != 0 || !containsAll(got.stderr, "is settled. It was carried out, in the request "+r.request()) || strings.Contains(got.stderr, "given up") {
			t.Errorf("status %d\n%s", got.status, got.stderr)
		}
		if got := r.run("retire", "abandon", pending[1].ID); got.status != 0 || !containsAll(got.stderr, "is abandoned. It was never carried out.") {
			t.Errorf("status %d\n%s", got.status, got.stderr)
		}
	})
}

// Settling a call is final, so the service must know the request, and its vintage must
// match.
func TestCarriedOutChecksRequest(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r := newRetirer(t)
		flags, _ := r.batchOf(shortHeader + "a,004bale21,4000000\n")
		id := r.leaveUnknown(flags, true)
		request := r.request()
		for _, tt := range []struct {
			request, vintage string
			status           int
			message          string
		}{
			{"00mnotexisting00000", "", command.StatusNotFound, "the marketplace has no retirement request 00mnotexisting00000"},
			{"foo bar", "", command.StatusUsage, "--carried-out is not the id of a retirement request"},
			{request, "004other", command.StatusFailed, "has the vintage 004other, but the call has the vintage 004bale21"},
		} {
			r.before = func(w http.ResponseWriter, req *http.Request) bool {
				if tt.vintage != "" {
					fmt.Fprintf(w, `{"id":%q,"status":"OPEN","total_quantity":"20","type":"FRACTIONALISED","project_id":"003a","vintage_id":%q,"created_at":"2026-11-22T10:00:00.000Z"}`, request, tt.vintage)
				}
				return tt.vintage != ""
			}
			got := r.run("retire", "abandon", id, "--carried-out", tt.request)
			if got.status != tt.status || !containsAll(got.stderr, tt.message) {
				t.Errorf("%s: status %d\n%s", tt.request, got.status, got.stderr)
			}
			if out := r.must("retire", "pending", "-o", "json"); !containsAll(out, id) {
				t.Fatalf("%s: the call is no longer pending", tt.request)
			}
		}
		r.before = nil
		if got := r.run("retire", "abandon", id, "--carried-out", request); got.status != 0 || strings.Contains(got.stderr, "looked up") {
			t.Errorf("status %d\n%s", got.status, got.stderr)
		}
	})
}

func TestCarriedOutIsAcceptedWithoutService(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r := newRetirer(t)
		flags, _ := r.batchOf(shortHeader + "a,004bale21,4000000\n")
		id := r.leaveUnknown(flags, true)
		r.before = func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(http.StatusInternalServerError)
			return true
		}
		got := r.run("retire", "abandon", id, "--carried-out", "00mfound")
		if got.status != 0 || !containsAll(got.stderr, "00mfound could not be looked up and is recorded unchecked", "is settled.") {
			t.Errorf("status %d\n%s", got.status, got.stderr)
		}
	})
}
