package cli

import (
	"errors"
	"fmt"
	"testing"

	"tonne/model/journal"
)

func TestEachErrorOfTheJournalSaysWhatToDo(t *testing.T) {
	t.Parallel()
	a := &app{Process: Process{Getenv: func(string) string { return "/home/ann" }}}
	for _, err := range journal.Errors() {
		var f *failure
		if got := a.unsent(fmt.Errorf("wrapped: %w", err)); !errors.As(got, &f) || f.todo == "" {
			t.Errorf("of %q nothing is said: %v", err, got)
		}
	}
}
