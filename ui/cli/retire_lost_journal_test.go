package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tonne/ui/cli/command"
)

// deleteJournal deletes the journal, and on request the ledger.
func (r *retirer) deleteJournal(ledger bool) {
	r.t.Helper()
	dirs := []string{r.env["XDG_DATA_HOME"]}
	if ledger {
		dirs = append(dirs, r.env["XDG_STATE_HOME"])
	}
	for _, dir := range dirs {
		if err := os.RemoveAll(filepath.Join(dir, "tonne")); err != nil {
			r.t.Fatal(err)
		}
	}
}

// wantAlreadyRetired checks that a command is refused because its retirement was made before.
func (r *retirer) wantAlreadyRetired(got result, sent int64) {
	r.t.Helper()
	f := got.object(r.t)
	if got.status != command.StatusUnreachable || f.Code != "already_retired" || f.Retryable || r.sent.Load() != sent {
		r.t.Errorf("status %d, %s, %d sent, want %d\n%s", got.status, f.Code, r.sent.Load(), sent, got.stderr)
	}
	if id := r.request(); !strings.Contains(f.Message, id) || !strings.Contains(f.Next, "tonne retirement "+id) || strings.Contains(f.Next, "run it again") {
		r.t.Errorf("the message does not name request %s:\n%s", id, got.stderr)
	}
}

func TestLostJournalDoesNotRepeatReference(t *testing.T) {
	t.Parallel()
	command := []string{"--vintage", "004bale21", "--tonnes", "4", "--reference", "flight-9", "-o", "json"}
	for name, test := range map[string]struct {
		ledger bool
		posts  int64
	}{"ledger kept": {false, 0}, "ledger lost": {true, 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRetirer(t)
			if got := r.retire(command...); got.status != 0 {
				t.Fatalf("status %d\n%s", got.status, got.stderr)
			}
			r.deleteJournal(test.ledger)
			// With another price, the plan is different.
			r.must("serve", "--db", r.db, "orders", "reprice", "006b", "611")
			for range 2 {
				r.wantAlreadyRetired(r.retire(command...), 1+test.posts)
			}
			r.wantAlreadyRetired(r.retire(append(command, "--dry-run")...), 1+test.posts)
			if _, retired := r.totals(); retired != 4e6 {
				t.Errorf("%d g retired", retired)
			}
			if out := r.must("retire", "pending", "-o", "json"); strings.TrimSpace(out) != "[]" {
				t.Errorf("pending:\n%s", out)
			}
			command := append([]string{"--reference", "flight-10"}, command[:4]...)
			if got := r.retire(command...); got.status != 0 {
				t.Errorf("another reference: status %d\n%s", got.status, got.stderr)
			}
		})
	}
}

// A batch derives its external ids from its name and its lines.
func TestLostJournalDoesNotRepeatBatchLine(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	flags, results := r.batchOf(shortHeader + "a,004bale21,1000000\nb,004bale21,2000000\n")
	r.retire(flags...)
	r.deleteJournal(true)
	if err := os.Remove(results); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got := r.retire(flags...)
		if got.status != command.StatusFailed || !strings.Contains(got.stderr, "request 00m") || r.sent.Load() != 3 {
			t.Errorf("status %d, %d sent\n%s", got.status, r.sent.Load(), got.stderr)
		}
	}
	if _, retired := r.totals(); retired != 3e6 {
		t.Errorf("%d g retired", retired)
	}
}

// The ledger also knows the reference of a batch line.
func TestLostJournalDoesNotRepeatBatchLineAsCommand(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	flags, _ := r.batchOf(shortHeader + "y2,004bale21,1000000\n")
	r.retire(flags...)
	r.deleteJournal(false)
	r.wantAlreadyRetired(r.retire("--vintage", "004bale21", "--tonnes", "1", "--reference", "y2", "-o", "json"), 1)
}
