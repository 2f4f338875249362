package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tonne/ui/cli/command"
)

func TestEmptiedJournalStopsRetirement(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r := newRetirer(t)
		args := []string{"--vintage", "004bale21", "--tonnes", "1", "--reference", "r", "-o", "json"}
		r.retire(args...)
		if err := os.WriteFile(filepath.Join(r.env["XDG_DATA_HOME"], "tonne", "journal.db"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		got := r.retire(args...)
		if f := got.object(t); got.status != command.StatusFailed || !strings.Contains(f.Message, "although calls were sent with it") || !strings.Contains(f.Next, "Restore it from a copy") {
			t.Errorf("status %d\n%s", got.status, got.stderr)
		}
		if _, retired := r.totals(); retired != 1e6 {
			t.Errorf("%d g retired", retired)
		}
	})
}
