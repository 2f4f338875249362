package retirement

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tonne/model"
	"tonne/model/must"
	"tonne/model/portfolio"
	"tonne/model/retirement"
	"tonne/model/statement"
	"tonne/ui/uitest"
)

func twoYears() statement.Source {
	day := func(year int, month time.Month) model.Timestamp {
		return model.At(time.Date(year, month, 5, 12, 0, 0, 0, time.UTC))
	}
	buy := func(at model.Timestamp, tonnes model.Grams, price model.PriceCents) portfolio.Trade {
		return portfolio.Trade{ExecutionDate: at, Quantity: tonnes * 1e6, Price: price, Type: portfolio.Buy}
	}
	request := uitest.Retirement("00m1", retirement.Complete)
	request.TotalQuantity, request.RetiredAt = 20e6, day(2026, 3)
	request.Items = []retirement.Item{{ID: "00p1", Quantity: 20e6, CreatedAt: day(2026, 3), RetireeName: "Your Customer Ltd", RetireeTaxID: "1", RetireeCountry: "GB"}}
	request.SerialNumbers = []string{"19334-940082955-940082974-VCS-VCU-576-VER-ET-14-1340-01012019-31122019-1"}
	return statement.Source{
		Account: statement.Account{Tenant: "Acme", Profile: "acme", Marketplace: "https://market.example"},
		Now:     uitest.Now, Projects: uitest.Projects(), Requests: []*retirement.Request{request},
		Inventory: &portfolio.Inventory{Projects: []portfolio.Project{{ID: "003bale", Vintages: []portfolio.Vintage{{
			ID: uitest.Key("003bale", 0).VintageID, Wallets: []portfolio.Wallet{{Quantity: 15_333_333, Trades: []portfolio.Trade{
				buy(day(2025, 6), 5, 500), buy(day(2026, 2), 30, 333), {ExecutionDate: day(2026, 4), Quantity: 333_333, Price: 100, Type: portfolio.Buy},
			}}},
		}}}}},
	}
}

func withStatement(t *testing.T) *robot {
	t.Helper()
	r := newRobot(t, Options{ReadStatementData: func(context.Context) (statement.Source, error) { return twoYears(), nil }})
	r.Press("S")
	return r
}

func TestFramesOfStatement(t *testing.T) {
	t.Parallel()
	r := withStatement(t)
	for _, size := range [][2]int{{76, 18}, {116, 30}, {156, 39}, {196, 54}} {
		uitest.Golden(t, fmt.Sprintf("statement-%dx%d", size[0]+4, size[1]+6), r.box(size[0], size[1]))
	}
	r.box(56, 9)
}

func TestStatementIsCopiedAndExported(t *testing.T) {
	t.Parallel()
	r := withStatement(t)
	r.Press("y")
	must.Hold(t, len(r.Copied) == 1 && strings.Contains(r.Copied[0], "2026-02\t30 t\t$99.90\t0 t\n") &&
		strings.Contains(r.Copied[0], "Country group\telsewhere\t20 t\t100.0 %"),
		"copied", r.Copied)
	r.Press("e")
	path := filepath.Join(t.TempDir(), "s.xlsx")
	must.Equal(t, filepath.Base(r.Prompt.Value(0)), "statement-2026-01-01-2026-12-31-month.xlsx", "the proposed name")
	r.Reply(path)
	r.Hears("Wrote 3 rows to " + path)
	sheets := unzipped(t, path)
	for _, want := range []string{`name="Statement"`, `name="Shares"`, `name="Notes"`, "30000000", "9990", "20000000", "balance_grams", "15333333"} {
		must.Hold(t, strings.Contains(sheets, want), want)
	}
	r.Press("e")
	r.Reply(path)
	r.Hears("Not written: " + path + " already exists.")
	r.Press("e")
	r.Reply(strings.TrimSuffix(path, "xlsx") + "csv")
	text, err := os.ReadFile(strings.TrimSuffix(path, "xlsx") + "csv")
	must.Hold(t, err == nil &&
		strings.HasPrefix(string(text), "key,bought_grams,bought_cents,retired_grams,from,to,tenant,profile,marketplace\n2026-02,30000000,9990,0,2026-01-01,2027-01-01,Acme,acme,https://market.example\n"),
		err, text)
	r.Press("e")
	r.Reply(strings.TrimSuffix(path, "xlsx") + "pdf")
	if text, err := os.ReadFile(strings.TrimSuffix(path, "xlsx") + "pdf"); err != nil || !strings.HasPrefix(string(text), "%PDF-") {
		t.Errorf("%v\n%.20q", err, text)
	}
}

// unzipped returns the text of all files of a spreadsheet.
func unzipped(t *testing.T, path string) (all string) {
	t.Helper()
	book, err := zip.OpenReader(path)
	must.Succeed(t, err)
	defer book.Close()
	for _, file := range book.File {
		part, err := file.Open()
		must.Succeed(t, err)
		text, _ := io.ReadAll(part)
		all += string(text)
	}
	return all
}

func TestStatementStartsWithWarnings(t *testing.T) {
	t.Parallel()
	source := twoYears()
	for n := range 12 {
		bought := source.Inventory.Projects[0].Vintages[0].Wallets[0].Trades[1]
		bought.ExecutionDate = model.At(time.Date(2026, time.Month(n+1), 5, 12, 0, 0, 0, time.UTC))
		source.Inventory.Projects[0].Vintages[0].Wallets[0].Trades = append(source.Inventory.Projects[0].Vintages[0].Wallets[0].Trades, bought)
	}
	r := newRobot(t, Options{ReadStatementData: func(context.Context) (statement.Source, error) { return source, nil }})
	r.Press("S")
	r.shows(72, 18, "⚠ 360 t were bought that are neither in a wallet nor in a request", "y copy · Esc closes")
	r.Press("y")
	must.Hold(t, strings.Contains(r.Copied[0], "\n360 t were bought that are neither in a wallet"), "copied", r.Copied)
}

func TestFailedStatementGivesReason(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{ReadStatementData: func(context.Context) (statement.Source, error) {
		return statement.Source{}, errors.New("the service did not answer")
	}})
	r.Press("S")
	r.shows(110, 20, "✗ The service did not answer.")
	r.Press("y", "tab", "e", "esc")
	r = newRobot(t, Options{})
	r.Press("S")
	r.Hears("Not available in this session.")
}
