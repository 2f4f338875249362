package inventory

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tonne/ui/uitest"
)

func TestTheWalletsThatAreShownAreExported(t *testing.T) {
	t.Parallel()
	r := settled(t)
	path := filepath.Join(t.TempDir(), "inventory.csv")
	r.Press("/", "b", "a", "l", "e", "enter", "e")
	r.Reply(path)
	if said := uitest.LastOf(r.Said); said != "Wrote 2 rows to "+path+"." {
		t.Errorf("said %q", said)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	if want := "Bale Mountains,003bale,2019,004bale0,CAAS,0.99998,5.95,2026-11-01T09:14:05Z,5.62,6.2,5.62,6.2,0.58,,REDD+,ET"; lines[1] != want {
		t.Errorf("the first row is %q, want %q", lines[1], want)
	}
}
