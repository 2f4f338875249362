package inventory

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tonne/api/session"
	"tonne/ui/uitest"
)

func TestPartialExportIsReported(t *testing.T) {
	t.Parallel()
	market := session.MarketEvent{Status: uitest.Live(), Market: uitest.Market(0), Partial: true}
	for name, c := range map[string]struct {
		market session.Event
		part   func(e *session.PortfolioEvent)
		want   string
	}{
		"inventory": {nil, reading, " Only a part was read."},
		"market":    {market, nil, " Only a part was read."},
		"neither":   {nil, nil, ""},
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
			t.Errorf("%s: message %q", name, said)
		}
	}
}

func TestExportWritesTheRowsOnTheScreen(t *testing.T) {
	t.Parallel()
	r := settled(t)
	path := filepath.Join(t.TempDir(), "inventory.csv")
	r.Press("/", "b", "a", "l", "e", "enter", "e")
	r.Reply(path)
	if said := uitest.LastOf(r.Said); said != "Wrote 2 rows to "+path+"." {
		t.Errorf("message %q", said)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	if header := "project_id,project_name,vintage_id,wallet_type,quantity_grams,last_paid_price_cents,last_paid_date,trades"; lines[0] != header {
		t.Errorf("the header is %q, want %q as in the command", lines[0], header)
	}
	if want := "003bale,Bale Mountains,004bale0,CAAS,999980,595,2026-11-01T09:14:05.000Z,5"; lines[1] != want {
		t.Errorf("the first row is %q, want %q", lines[1], want)
	}
	const trade = `{"project_id":"003bale","project_name":"Bale Mountains","vintage_id":"004bale0","wallet_type":"CAAS",` +
		`"execution_date":"2026-11-01T09:14:05.000Z","type":"BUY","quantity_grams":"3000000","price_cents":"595"},`
	path = filepath.Join(t.TempDir(), "trades.json")
	r.Press("enter", "e")
	r.Reply(path)
	if text, err = os.ReadFile(path); err != nil || !strings.HasPrefix(string(text), "[\n"+trade) || strings.Count(string(text), "\n") != 7 {
		t.Errorf("%v, the trades are\n%s", err, text)
	}
}
