package cli

import (
	"testing"

	"tonne/ui/cli/command"
)

func TestFlagJSONSuggestsOutputFormat(t *testing.T) {
	t.Parallel()
	for _, typed := range []string{"market", "inventory", "ledger"} {
		r := newWorld(t, new(service)).run(typed, "--json")
		if _, todo := r.sentences(t); r.status != command.StatusUsage || todo != "Use `-o json`." {
			t.Errorf("%s: status %d, %q", typed, r.status, todo)
		}
	}
}
