package retire

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitemigration"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/api/wire"
	"tonne/model"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

// oldJournals are dumps of journals that older programs wrote.
var oldJournals = []string{"journal-0.9.0", "journal-schema-5"}

// oldRow has the texts of a call that the migrations read, and its body.
type oldRow struct{ wish, plan, body string }

// oldPlan is the JSON of a call.
type oldPlan struct {
	VintageID     string             `json:"vintage_id"`
	Quantity      model.Grams        `json:"quantity_grams"`
	Retiree       retirement.Retiree `json:"retiree"`
	FromInventory model.Grams        `json:"from_inventory_grams"`
	BuyTonnes     int64              `json:"buy_tonnes"`
	SellOrderID   string             `json:"sell_order_id"`
	Price         model.PriceCents   `json:"price_cents"`
	Cost          model.Cents        `json:"cost_cents"`
}

func newOldRow(c Call) oldRow {
	by := c.Request.Retiree
	return oldRow{
		wish: fmt.Sprintf("%d g of %q from %q for %q", c.Request.Quantity, c.Request.VintageID, c.Request.SellOrderID,
			[]string{by.ID, by.Name, by.TaxID, by.Country}),
		plan: string(must.Get(json.Marshal(oldPlan(c.Plan)))), body: string(c.Body),
	}
}

// oldJournal writes a dump as a database, and returns its path and its calls by external id.
func oldJournal(t *testing.T, name string) (path string, rows map[string]oldRow) {
	t.Helper()
	path, rows = filepath.Join(t.TempDir(), "journal.db"), make(map[string]oldRow)
	conn := must.Get(sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate))
	dump := must.Get(os.ReadFile(filepath.Join("testdata", name+".sql")))
	must.Succeed(t, sqlitex.ExecuteScript(conn, string(dump), nil))
	must.Succeed(t,
		sqlitex.Execute(conn, `SELECT * FROM call`, &sqlitex.ExecOptions{ResultFunc: func(stmt *sqlite.Stmt) error {
			body := make([]byte, stmt.GetLen("body"))
			stmt.GetBytes("body", body)
			rows[stmt.GetText("external_id")] = oldRow{stmt.GetText("wish"), stmt.GetText("plan"), string(body)}
			return nil
		}}))
	must.Succeed(t, conn.Close())
	return path, rows
}

// countingService carries out every call, and counts the calls by body.
type countingService struct {
	shop
	received map[string]int
}

func (s *countingService) RequestRetirement(_ context.Context, body []byte) (wire.RetireAccepted, error) {
	s.received[string(body)]++
	return wire.RetireAccepted{RequestID: "00m1"}, nil
}

func oldWorkflow(t *testing.T, path string, service *countingService) (*Workflow, []Call) {
	t.Helper()
	w := &Workflow{Path: path, Client: service, Now: time.Now}
	must.Succeed(t, w.Open(t.Context()))
	t.Cleanup(func() { must.Succeed(t, w.Close(time.Minute)) })
	all := must.Get(list(w.opened.conn, func(Account) (string, []any) { return `ORDER BY id`, nil }, Account{}))
	w.Account = all[0].Account
	return w, all
}

func TestOldJournalKeepsItsCalls(t *testing.T) {
	t.Parallel()
	for _, name := range oldJournals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, rows := oldJournal(t, name)
			_, all := oldWorkflow(t, path, &countingService{})
			must.Equal(t, len(all), len(rows))
			for _, c := range all {
				must.Equal(t, newOldRow(c), rows[c.ExternalID], c.ExternalID)
				must.Equal(t, string(wire.AppendRetireCall(nil, c.ExternalID, c.Plan)), string(c.Body), c.ExternalID)
			}
		})
	}
}

// A text that no program wrote says nothing about the request, and the order may have quotes.
func TestProseOfOldJournalIsRead(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		wish     string
		quantity model.Grams
		order    string
	}{
		{`45 g of "004a" from "006a" for ["" "" "" ""]`, 45, "006a"},
		{`45 g of "a\\" from "a\"b\\" for ["" "\" from \"x" "\" for [" ""]`, 45, `a"b\`},
		{`9223372036854775807 g of "004a" from "" for ["" "" "" ""]`, math.MaxInt64, ""},
		{`4x5 g of "004a" from "006a" for ["" "" "" ""]`, 0, ""}, {"2.5 t", 0, ""}, {"", 0, ""},
	} {
		path := filepath.Join(t.TempDir(), "journal.db")
		conn := must.Get(sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate))
		before := sqlitemigration.Schema{AppID: applicationID, Migrations: kind().Migrations[:5]}
		must.Succeed(t, sqlitemigration.Migrate(t.Context(), conn, before))
		must.Succeed(t, sqlitex.Execute(conn, `INSERT INTO call
			(origin, profile, external_id, batch, reference, wish, plan, body, made_by, made_at, state)
			VALUES ('https://market.example', 'desk', 'a-1', '', '', ?, '{}', x'7b7d', 'ada', 0, 'unknown')`,
			&sqlitex.ExecOptions{Args: []any{test.wish}}))
		must.Succeed(t, conn.Close())
		got := only(t, path)
		want := retirement.RetireRequest{Quantity: test.quantity, SellOrderID: test.order}
		must.Equal(t, got.Request, want, test.wish)
		must.Hold(t, got.Open() && got.Resumable() && got.requestKnown() == (test.quantity > 0), test.wish, got)
	}
}

func TestOldJournalIsResumedOnce(t *testing.T) {
	t.Parallel()
	for _, name := range oldJournals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, rows := oldJournal(t, name)
			want, service := make(map[string]int), &countingService{received: make(map[string]int)}
			for run := range 2 {
				w, all := oldWorkflow(t, path, service)
				var open []*Call
				for _, c := range all {
					if c.Open() {
						must.Hold(t, run == 0, "open in the second run", c.ExternalID)
						want[rows[c.ExternalID].body] = 1
						open = append(open, &c)
					}
				}
				must.Succeed(t, Resume(t.Context(), w, open, func(Progress) {}))
			}
			must.Equal(t, len(want), 5)
			must.Equal(t, fmt.Sprint(service.received), fmt.Sprint(want))
		})
	}
}

// The plan of the rest has the ids that the older program chose, so neither program sends another call for it.
func TestOldJournalIsPlannedOnWithItsIDs(t *testing.T) {
	t.Parallel()
	for _, name := range oldJournals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, _ := oldJournal(t, name)
			w, all := oldWorkflow(t, path, &countingService{})
			unsent := all[slices.IndexFunc(all, Call.Confirmed)]
			line := &Line{Reference: "several", Request: unsent.Request, Made: must.Get(w.Recall(t.Context(), "several")).Made,
				account: w.Account}
			ids := externalIDs{line: line, derive: (*Line).deriveID}
			must.Equal(t, ids.id(unsent.Plan), unsent.ExternalID)
			other := line.Request
			other.Quantity++
			must.Hold(t, unsent.Requests(line.Request) && !unsent.Requests(other), unsent)
			history := must.Get(w.Recall(t.Context(), "Mü\u00a0ller"))
			customer := retirement.Retiree{ID: "C-7", Name: `Müller "GmbH" & Co`, TaxID: `DE 1\2`, Country: "DE"}
			must.Hold(t, len(history.Made) == 1 && history.Made[0].Request.Retiree == customer, history)
		})
	}
}
