package audit

import (
	"bytes"
	"testing"
	"time"
	"unicode/utf16"

	"tonne/model"
	"tonne/model/execution"
	"tonne/model/file/paper"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
	"tonne/model/statement"
)

var boughtAt = time.Date(2026, 11, 20, 9, 30, 7, 0, time.UTC)

// unreadRow is a purchase before which the market was not read.
func unreadRow() execution.Row {
	p := execution.Purchase{Vintage: model.VintageKey{ProjectID: "P1", VintageID: "V1"}}
	p.Trade = portfolio.Trade{Type: portfolio.Buy, ExecutionDate: model.At(boughtAt), Quantity: 2e6, Price: 625}
	return execution.Row{Purchase: p, Project: model.Project{ID: "P1", Name: "Bale"}, Year: 2021,
		Cost: execution.Amount{Cents: 1250, Known: true}, Verdict: execution.NotRecorded, Why: "Nobody looked."}
}

// readRow is one with a cheaper order of another project.
func readRow() execution.Row {
	r := unreadRow()
	r.Read = &execution.Read{At: boughtAt.Add(-7 * time.Second)}
	r.Verdict, r.Why = execution.LowestOfVintage, "One was cheaper."
	r.CheaperOrders = 1
	r.Cheaper = []execution.Fill{{Vintage: model.VintageKey{ProjectID: "P2", VintageID: "V9"},
		Order: market.SellOrder{ID: "S9", Price: 600, Quantity: 5e6}, Tonnes: 5}}
	return r
}

func TestPurchasesWithoutARecordAreListed(t *testing.T) {
	t.Parallel()
	many := make([]execution.Row, 400)
	for i := range many {
		many[i] = unreadRow()
	}
	for _, tt := range []struct {
		name  string
		rows  []execution.Row
		pages int
	}{
		{"no purchase", nil, 1},
		{"recorded only", []execution.Row{readRow()}, 2},
		{"both", []execution.Row{unreadRow(), readRow(), unreadRow()}, 3},
		{"many that are not recorded", many, 10},
	} {
		file := must.Get(ExecutionPDF(ExecutionOf{Now: boughtAt}, tt.rows))
		must.Equal(t, paper.Pages(file), tt.pages, tt.name)
	}
}

// has reports whether an uncompressed PDF prints a text.
func has(file []byte, text string) bool { return times(file, text) > 0 }

// times returns how often an uncompressed PDF prints a text.
func times(file []byte, text string) int {
	var encoded []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		encoded = append(encoded, byte(unit>>8), byte(unit))
	}
	return bytes.Count(file, encoded)
}

func TestPagesOfPurchasesHaveReasonsAndNames(t *testing.T) {
	t.Parallel()
	p := &executionPDF{newReport("purchases", "2026", statement.Account{Marketplace: "https://market.example"}, boughtAt),
		model.Projects{"P2": {Name: "Cabo"}}}
	p.PDF.SetCompression(false)
	unread, read := unreadRow(), readRow()
	unread.Reason, read.Reason = "first", "second"
	rows := []execution.Row{unread, read}
	p.recorded(rows)
	p.notRecorded(rows)
	p.footers()
	file := must.Get(p.Bytes())
	for _, text := range []string{"Nobody looked.", "Reason: first", "second", "Cabo", "Purchase 2: Bale 2021", "2026-11-20 09:30:07",
		"$12.50", "https://market.example"} {
		must.Hold(t, has(file, text), text)
	}
	for _, text := range []string{"P2", "Purchase 1", "unknown ·", "· unknown"} {
		must.Hold(t, !has(file, text), text)
	}
}

func TestSelectionIsOnTheFirstPageAndInTheHeadOfEach(t *testing.T) {
	t.Parallel()
	rows := []execution.Row{unreadRow(), readRow()}
	for _, tt := range []struct {
		name        string
		of          ExecutionOf
		facts, head []string
	}{
		{name: "all purchases"},
		{"vintage", ExecutionOf{Vintage: "Bale 2021"}, []string{"Only vintage"}, []string{"only vintage Bale 2021"}},
		{"request", ExecutionOf{Request: "R1"}, []string{"Only request"}, []string{"only request R1"}},
		{"like", ExecutionOf{Like: "type:x"}, []string{"Compared with"}, []string{"compared with type:x"}},
		{"vintage and like", ExecutionOf{Vintage: "Bale 2021", Like: "type:x"}, []string{"Only vintage", "Compared with"},
			[]string{"only vintage Bale 2021 · compared with type:x"}},
	} {
		tt.of.Now = boughtAt
		p := newExecutionPDF(tt.of)
		p.PDF.SetCompression(false)
		p.summary(tt.of, rows)
		p.recorded(rows)
		p.notRecorded(rows)
		p.footers()
		file := must.Get(p.Bytes())
		facts := 0
		for _, fact := range []string{"Only vintage", "Only request", "Compared with"} {
			facts += times(file, fact)
		}
		must.Equal(t, facts, len(tt.facts), tt.name)
		for _, fact := range tt.facts {
			must.Equal(t, times(file, fact), 1, tt.name, fact)
		}
		for _, head := range tt.head {
			must.Equal(t, times(file, head), paper.Pages(file), tt.name, head)
		}
	}
}

func TestTitlesOfATableAreOnAPageOnce(t *testing.T) {
	t.Parallel()
	p := newReport("purchases", "2026", statement.Account{}, boughtAt)
	p.PDF.SetCompression(false)
	tables := 0
	for y := 240.0; y < 272; y += 0.5 {
		p.PDF.AddPage()
		p.PDF.SetY(y)
		p.table(cheaperTable, [][]string{{"Bale", "2021", "S1", "$1.00", "1"}}, 0)
		tables++
	}
	file := must.Get(p.Bytes())
	must.Hold(t, paper.Pages(file) > tables, "no table was moved to the next page")
	must.Equal(t, times(file, "SELL ORDER"), tables)
}

func TestHeadOfAPageHasOnlyWhatIsKnown(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]report{
		"":                              {},
		"Purchase 1":                    {part: "Purchase 1"},
		"Purchase 1 · Acme · m.example": {part: "Purchase 1", account: statement.Account{Tenant: "Acme", Marketplace: "m.example"}},
	} {
		must.Equal(t, p.place(), want)
	}
}
