package cli

import (
	"strings"
	"testing"

	"tonne/ui/cli/command"
)

// Repeating a command with an unknown outcome could retire twice, because the new call would
// have a new id.
func TestUnknownRetirementIsNotRepeated(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r := newRetirer(t)
		args := []string{"--vintage", "004bale21", "--tonnes", "12"}
		id, sent := r.leaveUnknown(args, true), r.sent.Load()
		got := r.retire(append(args, "-o", "json")...)
		f := got.object(t)
		if got.status != command.StatusUnreachable || f.Code != "outcome_unknown" || r.sent.Load() != sent {
			t.Errorf("status %d, %d more sent\n%s", got.status, r.sent.Load()-sent, got.stderr)
		}
		if !strings.Contains(f.Message, "it is not known whether this retirement was carried out as "+id+"; nothing was sent") ||
			!strings.Contains(f.Next, "`tonne retire resume "+id+"`; for a second retirement give a --reference") {
			t.Errorf("%s", got.stderr)
		}
		if got := r.retire(append(args, "--dry-run")...); got.status != command.StatusUnreachable || got.stdout != "" || !strings.Contains(got.stderr, "carried out as "+id) {
			t.Errorf("--dry-run: status %d\n%s%s", got.status, got.stdout, got.stderr)
		}
		r.must("retire", "resume", id, "--allow-retire", "--yes")
		if _, retired := r.totals(); retired != 12e6 {
			t.Errorf("%d g retired", retired)
		}
		if got := r.retire(args...); got.status != 0 {
			t.Errorf("second retirement after the first is settled: status %d\n%s", got.status, got.stderr)
		}
	})
}

func TestAbandonedCallCannotBeResumed(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r := newRetirer(t)
		args := []string{"--vintage", "004bale21", "--tonnes", "12"}
		id := r.leaveUnknown(args, true)
		r.must("retire", "abandon", id)
		for _, refused := range [][]string{{"resume", id, "--allow-retire", "--yes"}, {"abandon", id}} {
			got := r.run(append([]string{"retire"}, refused...)...)
			if got.status != command.StatusNotFound || !containsAll(got.stderr, id+" was abandoned with an unknown outcome", "tonne retire abandon "+id+" --carried-out REQUEST") {
				t.Errorf("%v: status %d\n%s", refused, got.status, got.stderr)
			}
		}
		r.must("retire", "abandon", id, "--carried-out", r.request())
		if got := r.retire(args...); got.status != 0 {
			t.Errorf("second retirement after the first is settled: status %d\n%s", got.status, got.stderr)
		}
	})
}

func TestAnotherReferenceIsRetired(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r := newRetirer(t)
		args := []string{"--vintage", "004bale21", "--tonnes", "12"}
		r.leaveUnknown(args, true)
		if got := r.retire(append(args, "--reference", "second")...); got.status != 0 {
			t.Errorf("status %d\n%s", got.status, got.stderr)
		}
		if _, retired := r.totals(); retired != 24e6 {
			t.Errorf("%d g retired", retired)
		}
	})
}
