package cli

import (
	"strings"
	"testing"

	"tonne/ui/cli/command"
)

// A batch line and a command with the same reference and request are one retirement.
func TestCommandDoesNotRepeatBatchLine(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	flags, _ := r.batchOf(shortHeader + "y2,004bale21,2000\n")
	if got := r.retire(flags...); got.status != 0 {
		t.Fatalf("status %d\n%s", got.status, got.stderr)
	}
	args := []string{"--vintage", "004bale21", "--grams", "2000", "--reference", "y2"}
	got := r.retire(args...)
	if got.status != 0 || r.sent.Load() != 1 || !containsAll(got.stderr, "0.002000 t are already retired under this reference", "another --reference") {
		t.Errorf("status %d, %d sent\n%s", got.status, r.sent.Load(), got.stderr)
	}
	if got := r.retire(append(args[:5:5], "y3")...); got.status != 0 || r.sent.Load() != 2 {
		t.Errorf("another reference: status %d, %d sent\n%s", got.status, r.sent.Load(), got.stderr)
	}
	if got := r.retire(flags...); got.status != 0 || r.sent.Load() != 2 {
		t.Errorf("repeated batch: status %d, %d sent\n%s", got.status, r.sent.Load(), got.stderr)
	}
}

func TestCommandDoesNotRepeatUnknownBatchLine(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r := newRetirer(t)
		flags, _ := r.batchOf(shortHeader + "y2,004bale21,2000\n")
		id, sent := r.leaveUnknown(flags, true), r.sent.Load()
		got := r.retire("--vintage", "004bale21", "--grams", "2000", "--reference", "y2")
		if got.status != command.StatusUnreachable || r.sent.Load() != sent || !containsAll(got.stderr, "carried out as "+id) {
			t.Errorf("status %d, %d more sent\n%s", got.status, r.sent.Load()-sent, got.stderr)
		}
	})
}

func TestBatchLineDoesNotRepeatCommand(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	if got := r.retire("--vintage", "004bale21", "--grams", "2000", "--reference", "s1"); got.status != 0 {
		t.Fatalf("status %d\n%s", got.status, got.stderr)
	}
	flags, _ := r.batchOf(shortHeader + "s1,004bale21,2000\n")
	got := r.retire(flags...)
	what, todo := got.sentences(t)
	if got.status != command.StatusUsage || r.sent.Load() != 1 || !containsAll(what, "of 1 lines 1 have", "the lines that a command without a batch retired, or may have retired, at ") || !containsAll(todo, "another reference", "--take-over") {
		t.Errorf("status %d, %d sent\n%s", got.status, r.sent.Load(), got.stderr)
	}
	if got := r.retire(append(flags, "--dry-run")...); got.status != 0 || !strings.Contains(got.stderr, "without a batch retired, or may have retired, at ") {
		t.Errorf("--dry-run: status %d\n%s", got.status, got.stderr)
	}
	if got := r.retire(append(flags, "--take-over")...); got.status != 0 || r.sent.Load() != 2 {
		t.Errorf("--take-over: status %d, %d sent\n%s", got.status, r.sent.Load(), got.stderr)
	}
}

// Batches and the dashboard trim references too.
func TestReferenceIsTrimmed(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	args := []string{"--vintage", "004bale21", "--grams", "2000", "--reference"}
	for _, reference := range []string{" k1\t", "k1", "k1 "} {
		if got := r.retire(append(args[:5:5], reference)...); got.status != 0 || r.sent.Load() != 1 {
			t.Errorf("%q: status %d, %d sent\n%s", reference, got.status, r.sent.Load(), got.stderr)
		}
	}
	got := r.retire(append(args[:5:5], "  ")...)
	if what, _ := got.sentences(t); got.status != command.StatusUsage || r.sent.Load() != 1 || !containsAll(what, "--reference is blank") {
		t.Errorf("blanks: status %d, %d sent\n%s", got.status, r.sent.Load(), got.stderr)
	}
}

// A user chooses another sell order after a refusal; that is still the same retirement.
func TestReferenceWithAnotherSellOrderIsNotRepeated(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	args := []string{"--vintage", "004bale21", "--tonnes", "2", "--reference", "s1"}
	if got := r.retire(append(args, "--order", "006a")...); got.status != 0 {
		t.Fatalf("status %d\n%s", got.status, got.stderr)
	}
	for _, order := range [][]string{{"--order", "006b"}, nil} {
		got := r.retire(append(args, order...)...)
		if got.status != 0 || r.sent.Load() != 1 || !containsAll(got.stderr, "2 t are already retired under this reference") {
			t.Errorf("%q: status %d, %d sent\n%s", order, got.status, r.sent.Load(), got.stderr)
		}
	}
}

func TestPendingCallIsFoundAfterProfileIsAdded(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r := newRetirer(t)
		id, sent := r.leaveUnknown([]string{"--vintage", "004bale21", "--grams", "2000", "--reference", "s1"}, true), r.sent.Load()
		r.configure("[profiles.acme]\nbase_url = \"" + baseURL + "\"\n")
		got := r.retire("--vintage", "004bale21", "--grams", "2000", "--reference", "s1")
		if got.status != command.StatusUnreachable || r.sent.Load() != sent || !containsAll(got.stderr, "carried out as "+id) {
			t.Errorf("status %d, %d more sent\n%s", got.status, r.sent.Load()-sent, got.stderr)
		}
		if got := r.must("retire", "pending"); !strings.Contains(got, id) {
			t.Errorf("the call is not pending:\n%s", got)
		}
	})
}

func TestAnotherQuantityOfReferenceWarns(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	if got := r.retire("--vintage", "004bale21", "--grams", "13", "--reference", "s1"); got.status != 0 {
		t.Fatalf("status %d\n%s", got.status, got.stderr)
	}
	got := r.retire("--vintage", "004bale21", "--grams", "14", "--reference", "s1", "--dry-run")
	if got.status != 0 || !containsAll(got.stderr, "0.000013 t are already retired under this reference", "retires 0.000014 t in addition") {
		t.Errorf("status %d\n%s", got.status, got.stderr)
	}
}
