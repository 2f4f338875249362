package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tonne/ui/cli/command"
)

// loses removes the journal, and the ledger too unless that is kept.
func (r *retirer) loses(ledger bool) {
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

// stopsAsRetired fails the test unless a command is refused since the retirement
// was made before.
func (r *retirer) stopsAsRetired(got result, sent int64) {
	r.t.Helper()
	f := got.object(r.t)
	if got.status != command.StatusUnreachable || f.Code != "already_retired" || f.Retryable || r.sent.Load() != sent {
		r.t.Errorf("status %d, %s, %d sent and not %d\n%s", got.status, f.Code, r.sent.Load(), sent, got.stderr)
	}
	if id := r.request(); !strings.Contains(f.Message, id) || !strings.Contains(f.Next, "tonne retirement "+id) || strings.Contains(f.Next, "run it again") {
		r.t.Errorf("request %s is not named:\n%s", id, got.stderr)
	}
}

func TestALostJournalDoesNotRetireAReferenceTwice(t *testing.T) {
	t.Parallel()
	command := []string{"--vintage", "004bale21", "--tonnes", "4", "--reference", "flight-9", "-o", "json"}
	for name, test := range map[string]struct {
		ledger bool
		posts  int64
	}{"the ledger is there": {false, 0}, "the ledger is lost too": {true, 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRetirer(t)
			if got := r.retire(command...); got.status != 0 {
				t.Fatalf("status %d\n%s", got.status, got.stderr)
			}
			r.loses(test.ledger)
			// The market has moved: the plan is another one.
			r.must("serve", "--db", r.db, "orders", "reprice", "006b", "611")
			for range 2 {
				r.stopsAsRetired(r.retire(command...), 1+test.posts)
			}
			r.stopsAsRetired(r.retire(append(command, "--dry-run")...), 1+test.posts)
			if _, retired := r.books(); retired != 4e6 {
				t.Errorf("%d g are retired", retired)
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

// A batch derives its ids from its name and its lines.
func TestALostJournalDoesNotRetireALineOfABatchTwice(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	flags, results := r.batchOf(shortHeader + "a,004bale21,1000000\nb,004bale21,2000000\n")
	r.retire(flags...)
	r.loses(true)
	if err := os.Remove(results); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got := r.retire(flags...)
		if got.status != command.StatusFailed || !strings.Contains(got.stderr, "request 00m") || r.sent.Load() != 3 {
			t.Errorf("status %d, %d sent\n%s", got.status, r.sent.Load(), got.stderr)
		}
	}
	if _, retired := r.books(); retired != 3e6 {
		t.Errorf("%d g are retired", retired)
	}
}

// The reference of a line is known to the ledger as well.
func TestALostJournalDoesNotRetireALineOfABatchAsASingleOne(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	flags, _ := r.batchOf(shortHeader + "y2,004bale21,1000000\n")
	r.retire(flags...)
	r.loses(false)
	r.stopsAsRetired(r.retire("--vintage", "004bale21", "--tonnes", "1", "--reference", "y2", "-o", "json"), 1)
}
