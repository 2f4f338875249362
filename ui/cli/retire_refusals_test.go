package cli

import (
	"os"
	"strings"
	"testing"
)

// The page that people look into says the same as the command.
func TestThePageOnRetiringSaysWhatToDoAboutEachRefusal(t *testing.T) {
	t.Parallel()
	page := string(must(os.ReadFile("../../docs/retire-commands.md")))
	for code, advice := range refusalAdvice {
		if !strings.Contains(page, "| `"+code+"` | "+advice+" |\n") {
			t.Errorf("docs/retire-commands.md does not have %s: %s", code, advice)
		}
	}
	if strings.Count(page, "\n| `") != len(refusalAdvice)+len([]callStatus{callDone, callRefused, callUnknown, callNotSent})+1 {
		t.Errorf("the tables have %d rows that begin with a code", strings.Count(page, "\n| `"))
	}
}
