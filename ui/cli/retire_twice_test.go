package cli

import (
	"strings"
	"testing"

	"tonne/ui/cli/command"
)

// Whoever repeats a command whose outcome nobody knows would retire twice: its
// new call has a new id.
func TestARetirementWhoseOutcomeIsNotKnownIsNotSentAsANewOne(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r := newRetirer(t)
		wish := []string{"--vintage", "004bale21", "--tonnes", "12"}
		id, sent := r.stuck(wish, true), r.sent.Load()
		got := r.retire(append(wish, "-o", "json")...)
		f := got.object(t)
		if got.status != command.StatusUnreachable || f.Code != "outcome_unknown" || r.sent.Load() != sent {
			t.Errorf("status %d, %d more sent\n%s", got.status, r.sent.Load()-sent, got.stderr)
		}
		if !strings.Contains(f.Message, "it is not known whether this retirement was carried out as "+id+"; nothing was sent") ||
			!strings.Contains(f.Next, "`tonne retire resume "+id+"`; for a second retirement give a --reference") {
			t.Errorf("%s", got.stderr)
		}
		if got := r.retire(append(wish, "--dry-run")...); got.status != command.StatusUnreachable || got.stdout != "" || !strings.Contains(got.stderr, "carried out as "+id) {
			t.Errorf("a plan that cannot be carried out: status %d\n%s%s", got.status, got.stdout, got.stderr)
		}
		r.must("retire", "resume", id, "--allow-retire", "--yes")
		if _, retired := r.books(); retired != 12e6 {
			t.Errorf("%d g are retired", retired)
		}
		if got := r.retire(wish...); got.status != 0 {
			t.Errorf("a second one, once the first is known: status %d\n%s", got.status, got.stderr)
		}
	})
}

func TestARetirementThatWasGivenUpIsNotSentAgainBeforeSomebodyFoundOut(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r := newRetirer(t)
		wish := []string{"--vintage", "004bale21", "--tonnes", "12"}
		id := r.stuck(wish, true)
		r.must("retire", "abandon", id)
		sent := r.sent.Load()
		got := r.retire(append(wish, "-o", "json")...)
		f := got.object(t)
		if got.status != command.StatusUnreachable || f.Code != "outcome_unknown" || r.sent.Load() != sent {
			t.Errorf("status %d, %d more sent\n%s", got.status, r.sent.Load()-sent, got.stderr)
		}
		if !strings.Contains(f.Next, "`tonne retire abandon "+id+" --carried-out REQUEST`") {
			t.Errorf("%s", got.stderr)
		}
		for _, typed := range [][]string{{"resume", id, "--allow-retire", "--yes"}, {"abandon", id}} {
			got := r.run(append([]string{"retire"}, typed...)...)
			if got.status != command.StatusNotFound || !saidAll(got.stderr, id+" was given up while its outcome was not known", "tonne retire abandon "+id+" --carried-out REQUEST") {
				t.Errorf("%v: status %d\n%s", typed, got.status, got.stderr)
			}
		}
		r.must("retire", "abandon", id, "--carried-out", r.request())
		if got := r.retire(wish...); got.status != 0 {
			t.Errorf("a second one, once the first is known: status %d\n%s", got.status, got.stderr)
		}
	})
}

func TestAnotherReferenceIsAnotherRetirement(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r := newRetirer(t)
		wish := []string{"--vintage", "004bale21", "--tonnes", "12"}
		r.stuck(wish, true)
		if got := r.retire(append(wish, "--reference", "second")...); got.status != 0 {
			t.Errorf("status %d\n%s", got.status, got.stderr)
		}
		if _, retired := r.books(); retired != 24e6 {
			t.Errorf("%d g are retired", retired)
		}
	})
}
