package cli

import "testing"

func TestTheFlagJSONHintsAtTheFormat(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"market", "inventory", "ledger"} {
		r := newWorld(t, new(service)).run(command, "--json")
		if _, todo := r.sentences(t); r.status != statusUsage || todo != "Use `-o json`." {
			t.Errorf("%s: status %d, %q", command, r.status, todo)
		}
	}
}
