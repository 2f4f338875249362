package market

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tonne/api/session"
	"tonne/model/store"
	"tonne/ui/uitest"
)

// The export has all rows that match the filter, in their order, not only those on the screen.
// Ids are text, and an existing file is not overwritten.
func TestExportWritesTheShownRows(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.FrameAt(80, 12)
	path := filepath.Join(t.TempDir(), "market.csv")
	lines := func() []string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	}
	r.Press("e")
	if base := filepath.Base(r.Prompt.Value(0)); base != "market-2026-11-02-091405.csv" {
		t.Errorf("the proposed name is %q", base)
	}
	if problem := r.Reply(path + ".txt"); problem != "The name must end in .csv, .xlsx or .json." {
		t.Errorf("name without a format: %q", problem)
	}
	r.Reply(path)
	if said := uitest.LastOf(r.Said); said != "Wrote 75 rows to "+path+"." || len(lines()) != 76 {
		t.Errorf("%q, %d lines", said, len(lines()))
	}
	if header := "project_id,project_name,vintage_id,vintage_year,sell_order_id,quantity_grams,price_cents,last_paid_price_cents,last_paid_date"; lines()[0] != header {
		t.Errorf("the header is %q, want that of the command, %q", lines()[0], header)
	}
	if want := "003bale,Bale Mountains,004bale0,2019,006bale00,400000000,620,595,2026-11-01T09:14:05.000Z"; lines()[1] != want {
		t.Errorf("the first row is %q, want %q", lines()[1], want)
	}
	r.Press("e")
	r.Reply(path)
	if said := uitest.LastOf(r.Said); said != "Not written: "+path+" already exists. Press e to choose another name." {
		t.Errorf("existing file: %q", said)
	}
	path = filepath.Join(t.TempDir(), "wind.csv")
	r.Press("/", "w", "i", "n", "d", "enter", "s", "e")
	r.Reply(path)
	if got := lines(); len(got) != 16 || !strings.Contains(got[1], ",Genneia Wind,") {
		t.Errorf("filtered and sorted from Z to A: %q", got)
	}
	hidden := filepath.Join(t.TempDir(), "a\U000e0067.csv")
	r.Press("e")
	r.Reply(hidden)
	if said := uitest.LastOf(r.Said); !strings.HasSuffix(said, "a\ufffd.csv.") {
		t.Errorf("name with an invisible character: %q", said)
	}
	r.Press("e")
	r.Reply(filepath.Join(path, "no", "directory.xlsx"))
	if said := uitest.LastOf(r.Said); !strings.HasPrefix(said, "Not written: ") {
		t.Errorf("unwritable directory: %q", said)
	}
}

func TestExportOfPartialMarketIsMarkedAsPart(t *testing.T) {
	t.Parallel()
	r := newRobot(t, store.Open(""))
	r.know()
	r.Hear(session.MarketEvent{Status: uitest.Live(), Market: uitest.Market(0), Partial: true})
	path := filepath.Join(t.TempDir(), "market.csv")
	r.Press("e")
	if base := filepath.Base(r.Prompt.Value(0)); base != "market-2026-11-02-091405-incomplete.csv" {
		t.Errorf("the proposed name is %q", base)
	}
	r.Reply(path)
	if said := uitest.LastOf(r.Said); said != "Wrote 75 rows to "+path+". Only a part was read." {
		t.Errorf("said %q", said)
	}
}
