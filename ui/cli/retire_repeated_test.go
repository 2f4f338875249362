package cli

import (
	"net/http"
	"strings"
	"testing"

	"tonne/ui/cli/command"
)

// loseResponses carries out retirement calls but responds with status 500.
func (r *retirer) loseResponses() {
	r.before = func(w http.ResponseWriter, req *http.Request) bool {
		if req.Method != http.MethodPost {
			return false
		}
		r.service.Handler().ServeHTTP(discard{http.Header{}}, req)
		w.WriteHeader(http.StatusInternalServerError)
		return true
	}
}

// containsAll reports whether a text contains all of the others.
func containsAll(text string, want ...string) bool {
	for _, w := range want {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// A retirement of 45 t in three calls, of which the first fails, retires exactly 45 t,
// however often it is resumed and repeated.
func TestBrokenOffRetirementContinues(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r := newRetirer(t)
		args := []string{"--vintage", "004bale21", "--tonnes", "45", "--reference", "multi"}
		r.loseResponses()
		if got := r.retire(args...); got.status != command.StatusUnreachable {
			t.Fatalf("status %d\n%s", got.status, got.stderr)
		}
		r.before = nil
		if out := r.must("retire", "pending"); !containsAll(out, "unknown", "not sent yet: 5 t of 45 t", "not sent yet: 37 t of 45 t") {
			t.Errorf("pending:\n%s", out)
		}
		got := r.run("retire", "resume", "--allow-retire", "--yes")
		if _, retired := r.totals(); got.status != command.StatusFailed || !containsAll(got.stderr, "42 t were confirmed but not sent") || retired != 3e6 {
			t.Errorf("resume: status %d, %d g retired\n%s", got.status, retired, got.stderr)
		}
		if got := r.retire(append(args, "--dry-run")...); got.status != 0 || !containsAll(got.stderr, "3 t of 45 t are already retired under this reference; 42 t remain") {
			t.Errorf("--dry-run: status %d\n%s", got.status, got.stderr)
		}
		if got := r.retire(args...); got.status != 0 {
			t.Errorf("the rest: status %d\n%s", got.status, got.stderr)
		}
		if bought, retired := r.totals(); bought != 45 || retired != 45e6 {
			t.Errorf("bought %d t, retired %d g", bought, retired)
		}
		if out := r.must("retire", "pending", "-o", "json"); strings.TrimSpace(out) != "[]" {
			t.Errorf("pending after the rest:\n%s", out)
		}
	})
}

// Without a reference, the same command may mean the same retirement or another one. It
// fails until the user sends or abandons the confirmed calls.
func TestUnsentCallsWithoutReferenceBlockRepetition(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r := newRetirer(t)
		args := []string{"--vintage", "004bale21", "--tonnes", "45"}
		r.loseResponses()
		r.retire(args...)
		r.before = nil
		r.run("retire", "resume", "--allow-retire", "--yes")
		got := r.retire(append(args, "-o", "json")...)
		f := got.object(t)
		if _, retired := r.totals(); got.status != command.StatusUnreachable || retired != 3e6 || !containsAll(f.Message, "5 t of this retirement were confirmed and not sent", "nothing was sent") {
			t.Fatalf("status %d, %d g retired\n%s", got.status, retired, got.stderr)
		}
		r.must("retire", "resume", "--allow-retire", "--yes", f.Message[strings.Index(f.Message, "tonne-"):strings.Index(f.Message, ";")])
		if _, retired := r.totals(); retired != 8e6 {
			t.Errorf("%d g retired", retired)
		}
	})
}

func TestFinishedReferenceIsNotRetiredAgain(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	args := []string{"--vintage", "004bale21", "--tonnes", "1", "--reference", "par1", "-o", "csv"}
	first := r.retire(args...)
	got := r.retire(args...)
	if got.status != 0 || r.sent.Load() != 1 || got.stdout != first.stdout || !containsAll(got.stderr, "1 t are already retired under this reference", "another --reference") {
		t.Errorf("status %d, %d sent\n%s%s", got.status, r.sent.Load(), got.stdout, got.stderr)
	}
	args[5] = "par2"
	if got := r.retire(args...); got.status != 0 || r.sent.Load() != 2 {
		t.Errorf("another reference: status %d, %d sent\n%s", got.status, r.sent.Load(), got.stderr)
	}
}

func TestRepetitionWithoutReferenceWarns(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	args := []string{"--vintage", "004bale21", "--tonnes", "1"}
	if got := r.retire(args...); got.status != 0 || strings.Contains(got.stderr, "last hour") {
		t.Errorf("status %d\n%s", got.status, got.stderr)
	}
	if got := r.retire(args...); got.status != 0 || r.sent.Load() != 2 || !containsAll(got.stderr, "the same command retired 1 t within the last hour") {
		t.Errorf("status %d, %d sent\n%s", got.status, r.sent.Load(), got.stderr)
	}
}

func TestRepetitionWarnsWithPendingCall(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r := newRetirer(t)
		request := []string{"--vintage", "004bale21", "--tonnes", "1"}
		r.must(append([]string{"retire", "--allow-retire", "--yes"}, request...)...)
		id := r.leaveUnknown(request, true)
		got := r.retire(request...)
		if got.status != command.StatusUnreachable || !containsAll(got.stderr, "the same command retired 1 t within the last hour", id+"; nothing was sent") {
			t.Errorf("status %d\n%s", got.status, got.stderr)
		}
	})
}

// An abandoned call with an unknown outcome may have taken effect. It stays pending and blocks
// the same retirement until the user records the outcome.
func TestAbandonedCallBlocksRepetitionUntilResolved(t *testing.T) {
	t.Parallel()
	for _, reference := range []string{"gu", ""} {
		inBubble(t, func(t *testing.T) {
			r := newRetirer(t)
			args := []string{"--vintage", "004bale21", "--tonnes", "5", "--reference", reference}
			id := r.leaveUnknown(args, true)
			r.must("retire", "abandon", id)
			if out := r.must("retire", "pending", "-o", "json"); !containsAll(out, id, "given up") {
				t.Errorf("pending:\n%s", out)
			}
			sent := r.sent.Load()
			got := r.retire(append(args, "-o", "json")...)
			f := got.object(t)
			if got.status != command.StatusUnreachable || f.Code != "outcome_unknown" || r.sent.Load() != sent || !containsAll(f.Message, id) || !containsAll(f.Next, "abandon "+id+" --carried-out REQUEST") {
				t.Errorf("status %d, %d more sent\n%s", got.status, r.sent.Load()-sent, got.stderr)
			}
			r.must("retire", "abandon", id, "--not-carried-out", "--yes")
			if got := r.retire(args...); got.status != 0 || r.sent.Load() != sent+1 {
				t.Errorf("after --not-carried-out: status %d, %d more sent\n%s", got.status, r.sent.Load()-sent, got.stderr)
			}
		})
	}
}
