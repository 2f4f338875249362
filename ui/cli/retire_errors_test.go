package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tonne/ui/cli/command"
)

func TestAJournalThatLostItsContentStopsARetirement(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r := newRetirer(t)
		typed := []string{"--vintage", "004bale21", "--tonnes", "1", "--reference", "r", "-o", "json"}
		r.retire(typed...)
		if err := os.WriteFile(filepath.Join(r.env["XDG_DATA_HOME"], "tonne", "journal.db"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		got := r.retire(typed...)
		if f := got.object(t); got.status != command.StatusFailed || !strings.Contains(f.Message, "although calls were sent with it") || !strings.Contains(f.Next, "Restore it from a copy") {
			t.Errorf("status %d\n%s", got.status, got.stderr)
		}
		if _, retired := r.books(); retired != 1e6 {
			t.Errorf("%d g are retired", retired)
		}
	})
}
