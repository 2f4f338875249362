package cli

import (
	"net/http"
	"strings"
	"testing"

	"tonne/ui/cli/command"
)

// cut answers no call that retires, the first of which has its effect.
func (r *retirer) cut() {
	r.before = func(w http.ResponseWriter, req *http.Request) bool {
		if req.Method != http.MethodPost {
			return false
		}
		r.service.Handler().ServeHTTP(discard{http.Header{}}, req)
		w.WriteHeader(http.StatusInternalServerError)
		return true
	}
}

// saidAll reports whether a text says all of others.
func saidAll(text string, want ...string) bool {
	for _, w := range want {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// A retirement of 45 t in three calls of which the first breaks off is one of
// 45 t in the end, however often it is resumed and repeated.
func TestARetirementThatBreaksOffIsGoneOnWithAndNotBegunAnew(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r := newRetirer(t)
		wish := []string{"--vintage", "004bale21", "--tonnes", "45", "--reference", "multi"}
		r.cut()
		if got := r.retire(wish...); got.status != command.StatusUnreachable {
			t.Fatalf("status %d\n%s", got.status, got.stderr)
		}
		r.before = nil
		if out := r.must("retire", "pending"); !saidAll(out, "unknown", "not sent yet: 5 t of 45 t", "not sent yet: 37 t of 45 t") {
			t.Errorf("pending:\n%s", out)
		}
		got := r.run("retire", "resume", "--allow-retire", "--yes")
		if _, retired := r.books(); got.status != command.StatusFailed || !saidAll(got.stderr, "42 t were confirmed and not sent") || retired != 3e6 {
			t.Errorf("resumed: status %d, %d g are retired\n%s", got.status, retired, got.stderr)
		}
		if got := r.retire(append(wish, "--dry-run")...); got.status != 0 || !saidAll(got.stderr, "3 t of 45 t are retired already under this reference; 42 t remain") {
			t.Errorf("the plan: status %d\n%s", got.status, got.stderr)
		}
		if got := r.retire(wish...); got.status != 0 {
			t.Errorf("the rest: status %d\n%s", got.status, got.stderr)
		}
		if bought, retired := r.books(); bought != 45 || retired != 45e6 {
			t.Errorf("bought %d t, retired %d g", bought, retired)
		}
		if out := r.must("retire", "pending", "-o", "json"); strings.TrimSpace(out) != "[]" {
			t.Errorf("pending in the end:\n%s", out)
		}
	})
}

// Without a reference nobody knows whether the same command is the same wish: it
// waits until a person says what becomes of what was confirmed.
func TestWhatWasConfirmedWithoutAReferenceIsSentOrGivenUpByAPerson(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r := newRetirer(t)
		wish := []string{"--vintage", "004bale21", "--tonnes", "45"}
		r.cut()
		r.retire(wish...)
		r.before = nil
		r.run("retire", "resume", "--allow-retire", "--yes")
		got := r.retire(append(wish, "-o", "json")...)
		f := got.object(t)
		if _, retired := r.books(); got.status != command.StatusUnreachable || retired != 3e6 || !saidAll(f.Message, "5 t of this retirement were confirmed and not sent", "nothing was sent") {
			t.Fatalf("status %d, %d g are retired\n%s", got.status, retired, got.stderr)
		}
		r.must("retire", "resume", "--allow-retire", "--yes", f.Message[strings.Index(f.Message, "tonne-"):strings.Index(f.Message, ";")])
		if _, retired := r.books(); retired != 8e6 {
			t.Errorf("%d g are retired", retired)
		}
	})
}

func TestAReferenceThatIsDoneIsNotRetiredAgain(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	wish := []string{"--vintage", "004bale21", "--tonnes", "1", "--reference", "par1", "-o", "csv"}
	first := r.retire(wish...)
	got := r.retire(wish...)
	if got.status != 0 || r.sent.Load() != 1 || got.stdout != first.stdout || !saidAll(got.stderr, "1 t are retired already under this reference", "another --reference") {
		t.Errorf("status %d, %d sent\n%s%s", got.status, r.sent.Load(), got.stdout, got.stderr)
	}
	wish[5] = "par2"
	if got := r.retire(wish...); got.status != 0 || r.sent.Load() != 2 {
		t.Errorf("another reference: status %d, %d sent\n%s", got.status, r.sent.Load(), got.stderr)
	}
}

func TestTheSameWithoutAReferenceIsWarnedOf(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	wish := []string{"--vintage", "004bale21", "--tonnes", "1"}
	if got := r.retire(wish...); got.status != 0 || strings.Contains(got.stderr, "last hour") {
		t.Errorf("status %d\n%s", got.status, got.stderr)
	}
	if got := r.retire(wish...); got.status != 0 || r.sent.Load() != 2 || !saidAll(got.stderr, "1 t were retired by the same command within the last hour") {
		t.Errorf("status %d, %d sent\n%s", got.status, r.sent.Load(), got.stderr)
	}
}

func TestTheSameIsWarnedOfNextToACallThatIsNotSettled(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r := newRetirer(t)
		request := []string{"--vintage", "004bale21", "--tonnes", "1"}
		r.must(append([]string{"retire", "--allow-retire", "--yes"}, request...)...)
		id := r.stuck(request, true)
		got := r.retire(request...)
		if got.status != command.StatusUnreachable || !saidAll(got.stderr, "1 t were retired by the same command within the last hour", id+"; nothing was sent") {
			t.Errorf("status %d\n%s", got.status, got.stderr)
		}
	})
}

// What was given up in doubt may have been carried out: it is in the list, and
// nothing is retired in its place, until a person says what the operator knows.
func TestACallThatWasGivenUpInDoubtIsNotForgotten(t *testing.T) {
	t.Parallel()
	for _, reference := range []string{"gu", ""} {
		inBubble(t, func(t *testing.T) {
			r := newRetirer(t)
			wish := []string{"--vintage", "004bale21", "--tonnes", "5", "--reference", reference}
			id := r.stuck(wish, true)
			r.must("retire", "abandon", id)
			if out := r.must("retire", "pending", "-o", "json"); !saidAll(out, id, "given up") {
				t.Errorf("pending:\n%s", out)
			}
			sent := r.sent.Load()
			got := r.retire(append(wish, "-o", "json")...)
			f := got.object(t)
			if got.status != command.StatusUnreachable || r.sent.Load() != sent || !saidAll(f.Message, id) || !saidAll(f.Next, "abandon "+id+" --carried-out REQUEST") {
				t.Errorf("status %d, %d more sent\n%s", got.status, r.sent.Load()-sent, got.stderr)
			}
			r.must("retire", "abandon", id, "--not-carried-out", "--yes")
			if got := r.retire(wish...); got.status != 0 || r.sent.Load() != sent+1 {
				t.Errorf("once it is known: status %d, %d more sent\n%s", got.status, r.sent.Load()-sent, got.stderr)
			}
		})
	}
}
