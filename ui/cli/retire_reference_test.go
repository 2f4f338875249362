package cli

import (
	"strings"
	"testing"

	"tonne/ui/cli/command"
)

// A line of a batch and a command with its reference and its wish are one wish:
// whichever comes second says so and retires nothing.
func TestALineOfABatchIsNotRetiredAgainByACommandWithItsReference(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	flags, _ := r.batchOf(shortHeader + "y2,004bale21,2000\n")
	if got := r.retire(flags...); got.status != 0 {
		t.Fatalf("status %d\n%s", got.status, got.stderr)
	}
	wish := []string{"--vintage", "004bale21", "--grams", "2000", "--reference", "y2"}
	got := r.retire(wish...)
	if got.status != 0 || r.sent.Load() != 1 || !saidAll(got.stderr, "0.002000 t are retired already under this reference", "another --reference") {
		t.Errorf("status %d, %d sent\n%s", got.status, r.sent.Load(), got.stderr)
	}
	if got := r.retire(append(wish[:5:5], "y3")...); got.status != 0 || r.sent.Load() != 2 {
		t.Errorf("another reference: status %d, %d sent\n%s", got.status, r.sent.Load(), got.stderr)
	}
	if got := r.retire(flags...); got.status != 0 || r.sent.Load() != 2 {
		t.Errorf("the batch again: status %d, %d sent\n%s", got.status, r.sent.Load(), got.stderr)
	}
}

func TestALineOfABatchWhoseOutcomeIsNotKnownIsNotSentByACommandWithItsReference(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r := newRetirer(t)
		flags, _ := r.batchOf(shortHeader + "y2,004bale21,2000\n")
		id, sent := r.stuck(flags, true), r.sent.Load()
		got := r.retire("--vintage", "004bale21", "--grams", "2000", "--reference", "y2")
		if got.status != command.StatusUnreachable || r.sent.Load() != sent || !saidAll(got.stderr, "carried out as "+id) {
			t.Errorf("status %d, %d more sent\n%s", got.status, r.sent.Load()-sent, got.stderr)
		}
	})
}

func TestWhatACommandRetiredIsNotRetiredAgainByALineWithItsReference(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	if got := r.retire("--vintage", "004bale21", "--grams", "2000", "--reference", "s1"); got.status != 0 {
		t.Fatalf("status %d\n%s", got.status, got.stderr)
	}
	flags, _ := r.batchOf(shortHeader + "s1,004bale21,2000\n")
	got := r.retire(flags...)
	what, todo := got.sentences(t)
	if got.status != command.StatusUsage || r.sent.Load() != 1 || !saidAll(what, "of 1 lines 1 have", "what a command without a batch retired at ") || !saidAll(todo, "another reference", "--take-over") {
		t.Errorf("status %d, %d sent\n%s", got.status, r.sent.Load(), got.stderr)
	}
	if got := r.retire(append(flags, "--dry-run")...); got.status != 0 || !strings.Contains(got.stderr, "without a batch retired at ") {
		t.Errorf("the plan: status %d\n%s", got.status, got.stderr)
	}
	if got := r.retire(append(flags, "--take-over")...); got.status != 0 || r.sent.Load() != 2 {
		t.Errorf("taken over: status %d, %d sent\n%s", got.status, r.sent.Load(), got.stderr)
	}
}

// The cells of a batch and the entries of the dashboard are trimmed as well: one
// reference is one wish wherever it is typed.
func TestBlanksAtTheEndsOfAReferenceDoNotCount(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	wish := []string{"--vintage", "004bale21", "--grams", "2000", "--reference"}
	for _, reference := range []string{" k1\t", "k1", "k1 "} {
		if got := r.retire(append(wish[:5:5], reference)...); got.status != 0 || r.sent.Load() != 1 {
			t.Errorf("%q: status %d, %d sent\n%s", reference, got.status, r.sent.Load(), got.stderr)
		}
	}
	got := r.retire(append(wish[:5:5], "  ")...)
	if what, _ := got.sentences(t); got.status != command.StatusUsage || r.sent.Load() != 1 || !saidAll(what, "--reference holds nothing but blanks") {
		t.Errorf("blanks: status %d, %d sent\n%s", got.status, r.sent.Load(), got.stderr)
	}
}

// A sell order is chosen after another was refused: it is the same retirement.
func TestAnotherSellOrderIsNotAnotherRetirement(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	wish := []string{"--vintage", "004bale21", "--tonnes", "2", "--reference", "s1"}
	if got := r.retire(append(wish, "--order", "006a")...); got.status != 0 {
		t.Fatalf("status %d\n%s", got.status, got.stderr)
	}
	for _, order := range [][]string{{"--order", "006b"}, nil} {
		got := r.retire(append(wish, order...)...)
		if got.status != 0 || r.sent.Load() != 1 || !saidAll(got.stderr, "2 t are retired already under this reference") {
			t.Errorf("%q: status %d, %d sent\n%s", order, got.status, r.sent.Load(), got.stderr)
		}
	}
}

func TestARetirementIsKnownAfterItsProfileIsAdded(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r := newRetirer(t)
		id, sent := r.stuck([]string{"--vintage", "004bale21", "--grams", "2000", "--reference", "s1"}, true), r.sent.Load()
		r.configure("[profiles.acme]\nbase_url = \"" + baseURL + "\"\n")
		got := r.retire("--vintage", "004bale21", "--grams", "2000", "--reference", "s1")
		if got.status != command.StatusUnreachable || r.sent.Load() != sent || !saidAll(got.stderr, "carried out as "+id) {
			t.Errorf("status %d, %d more sent\n%s", got.status, r.sent.Load()-sent, got.stderr)
		}
		if got := r.must("retire", "pending"); !strings.Contains(got, id) {
			t.Errorf("it is not pending:\n%s", got)
		}
	})
}

func TestAnotherQuantityUnderAReferenceIsWarnedOf(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	if got := r.retire("--vintage", "004bale21", "--grams", "13", "--reference", "s1"); got.status != 0 {
		t.Fatalf("status %d\n%s", got.status, got.stderr)
	}
	got := r.retire("--vintage", "004bale21", "--grams", "14", "--reference", "s1", "--dry-run")
	if got.status != 0 || !saidAll(got.stderr, "0.000013 t are retired already under this reference", "retires 0.000014 t in addition") {
		t.Errorf("status %d\n%s", got.status, got.stderr)
	}
}
