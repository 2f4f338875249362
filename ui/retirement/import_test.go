package retirement

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tonne/api/audit/reconcile"
	"tonne/api/session"
	"tonne/model/modeltest"
	"tonne/model/retirement"
	"tonne/ui/uitest"
)

const (
	idA = "00maaaaaaaaaaaaaa1"
	idB = "00mbbbbbbbbbbbbbb2"
	idC = "00mcccccccccccccc3"
)

// imports writes a file and imports it.
func imports(name, text string) func(r *robot) {
	return func(r *robot) {
		r.T.Helper()
		path := filepath.Join(r.T.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			r.T.Fatal(err)
		}
		r.Press("I")
		if problem := r.Reply(path); problem != "" {
			r.T.Fatal(problem)
		}
	}
}

func manyIDs(from, to int, between string) string {
	var list strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&list, "00m%015d%s", i, between)
	}
	return list.String()
}

// tracked checks the number of requests in the ledger.
func tracked(n int) func(r *robot) {
	return func(r *robot) {
		r.T.Helper()
		if got := len(r.feed.Requests()); got != n {
			r.T.Errorf("%d requests, want %d", got, n)
		}
	}
}

// thirtyLines is a table of 28 ids, of which two are repeated.
func thirtyLines() string {
	text := "customer,retirement_request_id,trade\n"
	for i := range 30 {
		text += fmt.Sprintf("Customer %d,00m%015d,00g%015d\n", i, i%28, i)
	}
	return text
}

var importJourneys = uitest.Journeys[*robot]{
	"skipped lines are counted": {
		{Do: imports("ids.txt", idA+"\r\n"+idB+"\r\nto be announced\r\n\r\n"+idC+"\r\n"), Sees: "3 ids, 1 line skipped"},
		{Keys: "esc", Do: pastes("request,amount\r" + idA + ",5\rsoon,6\r" + idB + ",7\r"), Sees: "2 ids, 1 line skipped"},
		{Keys: "enter", Sees: "2 requests"},
		{Do: pastes("Dear Anna,\r" + idC + "\r"), Sees: "1 id, 1 line skipped"},
	},
	"a table is confirmed": {
		{Do: pastes("00m000000000000003")},
		{Do: imports("ids.csv", thirtyLines()), Sees: "28 ids · 1 already in the ledger · 2 repeated|in the ledger: looking up|↵ looks them up"},
		{Do: func(r *robot) {
			if title := r.Panel.Title(); title != "Import from ids.csv, column retirement_request_id" {
				r.T.Errorf("the title is %q", title)
			}
		}},
		{Do: tracked(1)},
		{Keys: "j enter", Sees: "28 requests", Do: hears("27 new, 1 already in the ledger.")},
		{Do: func(r *robot) { uitest.Golden(r.T, "imported", r.FrameAt(140, 32)) }},
	},
	"many pasted ids are confirmed": {
		{Do: pastes(manyIDs(0, 5000, "\n")), Sees: "5,000 ids"},
		{Do: tracked(0)},
		{Keys: "esc", Sees: "The ledger is empty"},
	},
	"several ids are pasted on one line": {
		{Keys: "+", Do: pastes(manyIDs(0, 300, " ")), Sees: "300 ids"},
		{Keys: "enter", Do: hears("Looking up 300 requests.")},
		{Keys: "+", Do: pastes(strings.Repeat("x", 2000))},
		{Do: hears("No id found in the pasted text.")},
		{Keys: "+", Do: pastes(idA + "\n" + idB), Sees: "302 requests"},
	},
	"an invalid id is rejected": {
		{Keys: "+", Typed: "00m\u200b1"},
		{Keys: "enter", Do: hears("That is not a valid id.")},
	},
	"a binary file is rejected": {{Do: imports("a.xlsx", "PK\x03\x04\xff\xfe")}, {Do: hears("not UTF-8 text")}},
	"an empty file is rejected": {{Do: imports("empty.txt", "")}, {Do: hears("No id found in empty.txt")}},
	"a missing file is rejected": {
		{Keys: "I", Do: func(r *robot) {
			if problem := r.Reply(" "); problem == "" {
				r.T.Error("an empty path is accepted")
			}
		}},
		{Keys: "I", Do: func(r *robot) { r.Reply(filepath.Join(r.T.TempDir(), "absent.txt")) }},
		{Do: hears("absent.txt: no such file")},
		{Keys: "I", Do: func(r *robot) { r.Reply(r.T.TempDir()) }},
		{Do: hears("it is not a file")},
	},
	"hidden characters of a file name are shown": {
		{Do: imports("\u202esdi.txt", "\xff"), Said: "Cannot import \ufffdsdi.txt: the file is not UTF-8 text; save it as text or CSV."},
	},
	"a request without a state is in the ledger": {
		{Do: finds(uitest.Retirement(idA, ""))},
		{Do: pastes("request,amount\r" + idA + ",5\r" + idB + ",7\r"), Sees: "2 ids · 1 already in the ledger"},
	},
	"a final request is not looked up again": {
		{Do: finds(uitest.Retirement(idA, retirement.Complete), uitest.Retirement(idB, retirement.Open))},
		{Do: pastes(idA + " " + idB)},
		{Do: func(r *robot) {
			a, _ := r.tab.panes.ledger.Find(idA)
			b, _ := r.tab.panes.ledger.Find(idB)
			if a.LookingUp || !b.LookingUp {
				r.T.Errorf("waiting for the final request: %v, for the other: %v", a.LookingUp, b.LookingUp)
			}
		}},
		{Keys: "g g j .", Do: func(r *robot) {
			if calls("look up "+idA, 1)(r); !r.tab.Info().Health.Fetching {
				r.T.Error(". does not look up again")
			}
		}},
	},
}

func TestImportJourneys(t *testing.T) {
	t.Parallel()
	importJourneys.Each(t, func(t testing.TB) *robot { return newRobot(t, Options{}) })
}

// sharedJourneys start with the empty ledger of a shared session, which is limited.
var sharedJourneys = uitest.Journeys[*robot]{
	"files are not offered": {{Sees: "Press + and type the id", Lacks: "Press I"}},
	"an import is limited": {
		{Keys: "+", Do: pastes(manyIDs(0, 50_000, "\n")), Sees: "10,000 of 50,000 ids, the limit of a shared desk"},
		{Keys: "enter", Do: tracked(10_000)},
		{Keys: "+", Do: pastes(manyIDs(0, 200_000, "\n")), Said: "Could not read the pasted text: a shared desk imports at most 1 MiB at once; split the list."},
	},
	"the ledger is limited": {
		{Do: pastes(manyIDs(0, 10_000, "\n")), Sees: "↵ looks them up"},
		{Keys: "enter", Said: "Looking up 10,000 requests."},
		{Do: pastes(manyIDs(10_000, 19_000, "\n")), Sees: "↵ looks them up"},
		{Keys: "enter", Said: "Looking up 9,000 requests."},
		{Do: pastes(manyIDs(18_000, 21_500, "\n")), Sees: "↵ adds 1,000: the ledger is full"},
		{Keys: "enter", Said: "Added 1,000 of 2,500: the limit is 20,000 requests. x removes one.", Do: tracked(session.MostRequests)},
		// The first ids were added.
		{Do: pastes(manyIDs(19_999, 20_000, "\n")), Said: "The request is already in the ledger."},
		{Do: pastes(manyIDs(20_000, 21_000, "\n")), Sees: "↵ adds none: the ledger is full"},
		{Keys: "enter", Said: "Not added: the limit is 20,000 requests. x removes one."},
		{Keys: "x", Do: pastes(manyIDs(20_000, 20_001, ""))},
		{Do: tracked(session.MostRequests)},
	},
}

func TestSharedLedgerJourneys(t *testing.T) {
	t.Parallel()
	sharedJourneys.Each(t, func(t testing.TB) *robot {
		r := newRobot(t, Options{})
		r.View.Shared = true
		r.has(Options{})
		return r
	})
}

func TestLongPasteIsParsedInBackground(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	read := r.CarryOut(r.tab.Input(tea.PasteMsg{Content: strings.Repeat(idA+"\n"+idB+"\n"+idC+"\n", 2000) + "00m000000000000004"}))
	if r.Panel != nil || len(r.feed.Requests()) > 0 {
		t.Error("the text was parsed in the foreground")
	}
	r.Run(read)
	if r.asked("add "+idA) != 1 || r.asked("add 00m000000000000004") != 1 {
		t.Errorf("calls: %q", r.feed.Asked)
	}
}

func TestImportedRecordsAreComparedWithTheLedger(t *testing.T) {
	t.Parallel()
	uitest.Journeys[*robot]{
		"they differ": {
			{Do: imports("erp.csv", "id,tonnes,date\n00m1,15001,2026-02-05\n"+idB+",2,2026-02-06\n")},
			{
				Keys: "c",
				Sees: "0 matched, 1 different, 1 unknown here|2  00m1                different        quantity 15,001 t, here 15,000 t|" +
					"3  " + idB + "  unknown here|2026-02      15,003 t  15,000 t  ≠|Tab all records · e file · Esc closes",
			},
			{Keys: "e", Do: func(r *robot) {
				path := filepath.Join(r.T.TempDir(), "out.csv")
				r.Reply(path)
				content, err := os.ReadFile(path)
				if want := "line,id,reference,result,field,file,here\n2,00m1,,different,quantity_grams,15001000000,15000000000\n"; !strings.HasPrefix(string(content), want) {
					r.T.Errorf("%q, %v", content, err)
				}
			}},
		},
		"a file without a column of ids is compared at once": {
			{Do: imports("refs.csv", "reference,tonnes\nPO 1,5\n"), Sees: "–  00m1                missing in file  15,000 t"},
		},
		"they match": {
			{Do: imports("all.csv", "id,tonnes\n00m1,15000\n")},
			{Keys: "c", Sees: "All records match."},
			{Keys: "tab", Sees: "2  00m1                matched"},
			{Keys: "esc", Lacks: "matched"},
		},
		"the service does not answer": {
			{Do: func(r *robot) {
				r.tab.o.Reconcile = func(context.Context, []reconcile.Record) (reconcile.Reconciliation, error) {
					return reconcile.Reconciliation{}, errors.New("the service cannot be reached")
				}
			}},
			{Do: imports("all.csv", "id,tonnes\n00m1,15000\n")},
			{Keys: "c", Sees: "✗ The service cannot be reached."},
		},
		"an ambiguous file": {
			{Do: imports("ambiguous.csv", "id;tonnes\n00m1;15,000\n")},
			{Keys: "c", Do: hears("Cannot compare ambiguous.csv")},
		},
	}.Each(t, func(t testing.TB) *robot {
		return newRobot(t, Options{Reconcile: func(_ context.Context, records []reconcile.Record) (reconcile.Reconciliation, error) {
			return reconcile.New(records, []reconcile.Request{{Request: modeltest.Completed()}}), nil
		}})
	})
}
