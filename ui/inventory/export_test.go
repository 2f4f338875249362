package inventory

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tonne/api/session"
	"tonne/ui/uitest"
)

// What is exported while pages are still to come is a part, and said to be.
func TestAnExportOfAPartSaysSo(t *testing.T) {
	t.Parallel()
	market := session.MarketEvent{Status: uitest.Live(), Market: uitest.Market(0), Partial: true}
	for name, c := range map[string]struct {
		market session.Event
		part   func(e *session.PortfolioEvent)
		want   string
	}{
		"of the book":   {nil, reading, " Only a part was read."},
		"of the market": {market, nil, " Only a part was read."},
		"of neither":    {nil, nil, ""},
	} {
		r := newRobot(t)
		r.know()
		if c.market != nil {
			r.Hear(c.market)
		}
		r.hold(uitest.Inventory(), c.part)
		path := filepath.Join(t.TempDir(), "inventory.csv")
		r.Press("e")
		r.Reply(path)
		if said := uitest.LastOf(r.Said); said != "Wrote 4 rows to "+path+"."+c.want {
			t.Errorf("%s: said %q", name, said)
		}
	}
}

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
	if want := "Bale Mountains,003bale,2019,004bale0,CAAS,0.99998,5.95,2026-11-01T09:14:05Z,5.62,6.2,5.62,6.2,0.58,,REDD+,ET,2026-11-02T09:14:03Z,2026-11-02T09:14:03Z"; lines[1] != want {
		t.Errorf("the first row is %q, want %q", lines[1], want)
	}
}
