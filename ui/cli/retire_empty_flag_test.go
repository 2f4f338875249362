package cli

import (
	"strings"
	"testing"

	"tonne/ui/cli/command"
)

// A script with an empty variable would retire at any price, or in the user's own name.
func TestEmptyRetireFlagIsRejected(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	for _, name := range []string{"max-price", "max-cost", "order", "customer", "tax-id", "country", "customer-id", "file"} {
		for _, empty := range []string{"", " "} {
			got := r.retire("--vintage", "004bale21", "--tonnes", "1", "--"+name, empty)
			if what, todo := got.sentences(t); got.status != command.StatusUsage || !strings.Contains(what, "--"+name+" is empty") || !strings.Contains(todo, "leave it out") {
				t.Errorf("--%s %q: status %d\n%s", name, empty, got.status, got.stderr)
			}
		}
	}
	if r.sent.Load() != 0 {
		t.Errorf("%d calls sent", r.sent.Load())
	}
}
