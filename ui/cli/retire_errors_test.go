package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tonne/api/retire"
)

func TestEachErrorOfTheJournalSaysWhatToDo(t *testing.T) {
	t.Parallel()
	a := &app{Process: Process{Getenv: func(string) string { return "/home/ann" }}}
	for _, err := range retire.Errors() {
		var f *failure
		if got := a.unsent(fmt.Errorf("wrapped: %w", err)); !errors.As(got, &f) || f.todo == "" {
			t.Errorf("of %q nothing is said: %v", err, got)
		}
	}
}

func TestAJournalThatLostItsContentStopsARetirement(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r := newRetirer(t)
		command := []string{"--vintage", "004bale21", "--tonnes", "1", "--reference", "r", "-o", "json"}
		r.retire(command...)
		if err := os.WriteFile(filepath.Join(r.env["XDG_DATA_HOME"], "tonne", "journal.db"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		got := r.retire(command...)
		if f := got.object(t); got.status != statusFailed || !strings.Contains(f.Message, "although calls were sent with it") || !strings.Contains(f.Next, "Restore it from a copy") {
			t.Errorf("status %d\n%s", got.status, got.stderr)
		}
		if _, retired := r.books(); retired != 1e6 {
			t.Errorf("%d g are retired", retired)
		}
	})
}
