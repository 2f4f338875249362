package retirement

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

func TestImportCountsSkippedLines(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ids.txt")
	if err := os.WriteFile(path, []byte(idA+"\r\n"+idB+"\r\nto be announced\r\n\r\n"+idC+"\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRobot(t, Options{})
	r.Press("I")
	r.Reply(path)
	r.shows(100, 16, "3 ids, 1 line skipped")
	r.Press("esc")
	r.paste("request,amount\r" + idA + ",5\rsoon,6\r" + idB + ",7\r")
	r.shows(100, 16, "2 ids, 1 line skipped")
	r.Press("enter")
	r.Sees("2 requests")
	r.paste("Dear Anna,\r" + idC + "\r")
	r.shows(76, 12, "1 id, 1 line skipped")
}

func TestImportedTableNeedsConfirmation(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ids.csv")
	text := "customer,retirement_request_id,trade\n"
	for i := range 30 {
		text += fmt.Sprintf("Customer %d,00m%015d,00g%015d\n", i, i%28, i)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRobot(t, Options{})
	r.paste("00m000000000000003")
	r.Press("I")
	if problem := r.Reply(" "); problem == "" {
		t.Error("an empty path is accepted")
	}
	r.Press("I")
	if problem := r.Reply(path); problem != "" {
		t.Fatal(problem)
	}
	r.shows(100, 16, "28 ids · 1 already in the ledger · 2 repeated", "in the ledger: looking up", "↵ looks them up")
	if r.asked("add 00m000000000000003") != 1 || len(r.feed.Requests()) != 1 {
		t.Errorf("calls before confirmation: %q", r.feed.Asked)
	}
	if title := r.Panel.Title(); title != "Import from ids.csv, column retirement_request_id" {
		t.Errorf("the title is %q", title)
	}
	r.Press("j", "enter")
	r.Sees("28 requests")
	r.hears("27 new, 1 already in the ledger.")
	uitest.Golden(t, "imported", r.FrameAt(140, 32))
}

func TestManyPastedIDsNeedConfirmation(t *testing.T) {
	t.Parallel()
	var list strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&list, "00m%015d\n", i)
	}
	r := newRobot(t, Options{})
	r.paste(list.String())
	if box := r.box(80, 14); !strings.Contains(box, "5,000 ids") || len(r.feed.Requests()) > 0 {
		t.Errorf("%d look-ups before confirmation:\n%s", len(r.feed.Requests()), box)
	}
	r.Press("esc")
	r.Sees("The ledger is empty")
}

func manyIDs(n int, between string) string {
	var list strings.Builder
	for i := range n {
		fmt.Fprintf(&list, "00m%015d%s", i, between)
	}
	return list.String()
}

func TestPasteOfSeveralIDsOnOneLineTakesAll(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	r.Press("+")
	r.paste(manyIDs(300, " "))
	r.shows(80, 14, "300 ids")
	r.Press("enter")
	r.hears("Looking up 300 requests.")
	r.Press("+")
	r.paste(strings.Repeat("x", 2000))
	r.hears("No id found in the pasted text.")
	r.Press("+")
	r.paste(idA)
	r.Press("enter")
	r.Sees(idA)
}

// shared returns a robot for the tab in a shared session.
func shared(t *testing.T, o Options) *robot {
	t.Helper()
	r := newRobot(t, o)
	r.View.Shared = true
	r.tab = New(r.View, r.feed, o)
	r.Show(r.tab)
	r.listen()
	return r
}

func TestEmptySharedLedgerDoesNotOfferFiles(t *testing.T) {
	t.Parallel()
	r := shared(t, Options{})
	r.Sees("Press + and type the id")
	r.SeesNot("Press I")
}

func TestSharedImportLimitsIDs(t *testing.T) {
	t.Parallel()
	r := shared(t, Options{})
	r.Press("+")
	r.paste(manyIDs(50_000, "\n"))
	r.shows(80, 14, "10,000 of 50,000 ids, the limit of a shared desk")
	r.Press("enter")
	if n := len(r.feed.Requests()); n != 10_000 {
		t.Errorf("%d requests added", n)
	}
	r.Press("+")
	r.paste(manyIDs(200_000, "\n"))
	r.hears("Could not read the pasted text: a shared desk imports at most 1 MiB at once; split the list.")
}

func TestSharedLedgerIsLimited(t *testing.T) {
	t.Parallel()
	r := shared(t, Options{})
	all := strings.Fields(manyIDs(session.MostRequests+1, " "))
	for _, part := range [][]string{all[:10_000], all[10_000:20_000]} {
		r.paste(strings.Join(part, "\n"))
		r.Press("enter")
	}
	r.paste(all[20_000])
	r.hears("Not added: the limit is 20,000 requests. x removes one.")
	if n := len(r.feed.Requests()); n != session.MostRequests {
		t.Errorf("%d requests", n)
	}
	r.paste(all[0] + "\n")
	r.hears("The request is already in the ledger.")
	r.Press("x")
	r.paste(all[20_000])
	if n := len(r.feed.Requests()); n != session.MostRequests {
		t.Errorf("%d requests", n)
	}
}

func TestSharedLedgerAnnouncesHowManyIDsFit(t *testing.T) {
	t.Parallel()
	r := shared(t, Options{})
	all := strings.Fields(manyIDs(session.MostRequests+1_500, " "))
	for _, c := range []struct {
		ids        []string
		says, done string
		there      int
	}{
		{all[:10_000], "↵ looks them up", "Looking up 10,000 requests.", 10_000},
		{all[10_000:19_000], "↵ looks them up", "Looking up 9,000 requests.", 19_000},
		{all[18_000:21_500], "↵ adds 1,000: the ledger is full", "Added 1,000 of 2,500: the limit is 20,000 requests. x removes one.", 20_000},
		{all[20_000:], "↵ adds none: the ledger is full", "Not added: the limit is 20,000 requests. x removes one.", 20_000},
	} {
		r.paste(strings.Join(c.ids, "\n"))
		r.shows(80, 14, c.says)
		r.Press("enter")
		r.hears(c.done)
		if len(c.done) > 76 {
			t.Errorf("%q is cut at 80 columns", c.done)
		}
		if n := len(r.feed.Requests()); n != c.there {
			t.Errorf("%d requests, want %d", n, c.there)
		}
	}
	if last := r.feed.Requests(); !slices.ContainsFunc(last, func(q *session.Request) bool { return q.ID == all[19_999] }) {
		t.Error("not the first ids were added")
	}
}

func TestUnreadableImportsAreRejected(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	binary, empty := filepath.Join(dir, "a.xlsx"), filepath.Join(dir, "empty.txt")
	for path, content := range map[string]string{binary: "PK\x03\x04\xff\xfe", empty: ""} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "absent.txt"): "absent.txt: no such file", dir: "it is not a file", binary: "not UTF-8 text", empty: "No id found in empty.txt",
	} {
		r := newRobot(t, Options{})
		r.Press("I")
		r.Reply(path)
		r.hears(want)
	}
	r := newRobot(t, Options{})
	r.Press("+")
	r.typed("00m\u200b1")
	r.Press("enter")
	r.hears("That is not a valid id.")
	r.Press("+")
	r.paste(idA + "\n" + idB)
	r.Sees("2 requests")
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

func TestImportCountsRequestWithoutState(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	r.paste(idA)
	r.found(uitest.Retirement(idA, ""))
	r.paste("request,amount\r" + idA + ",5\r" + idB + ",7\r")
	r.shows(100, 16, "2 ids · 1 already in the ledger")
}

func TestFinalRequestIsNotLookedUpAgain(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	r.paste(idA + " " + idB)
	r.found(uitest.Retirement(idA, retirement.Complete), uitest.Retirement(idB, retirement.Open))
	r.paste(idA + " " + idB)
	a, _ := r.tab.panes.ledger.Find(idA)
	b, _ := r.tab.panes.ledger.Find(idB)
	if a.LookingUp || !b.LookingUp {
		t.Errorf("waiting for the final request: %v, for the other: %v", a.LookingUp, b.LookingUp)
	}
	r.Press(".")
	if r.asked("look up "+idA) != 1 || !r.tab.Info().Health.Fetching {
		t.Error(". does not look up again")
	}
}

func TestImportedRecordsAreComparedWithTheLedger(t *testing.T) {
	t.Parallel()
	write := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	completed := modeltest.Completed()
	fails := errors.New("the service cannot be reached")
	var failure error
	r := newRobot(t, Options{Reconcile: func(_ context.Context, records []reconcile.Record) (reconcile.Reconciliation, error) {
		return reconcile.New(records, []reconcile.Request{{Request: completed}}), failure
	}})
	look := func(path string, keys ...string) string {
		r.Press("I")
		r.Reply(path)
		r.Press(keys...)
		return r.box(100, 20)
	}
	box := look(write("erp.csv", "id,tonnes,date\n00m1,15001,2026-02-05\n"+idB+",2,2026-02-06\n"), "c")
	for _, want := range []string{
		"0 matched, 1 different, 1 unknown here", "2  00m1                different        quantity 15,001 t, here 15,000 t",
		"3  " + idB + "  unknown here", "2026-02      15,003 t  15,000 t  ≠", "Tab all records · e file · Esc closes",
	} {
		if !strings.Contains(box, want) {
			t.Errorf("no %q in\n%s", want, box)
		}
	}
	r.Press("e")
	if path := filepath.Join(t.TempDir(), "out.csv"); r.Reply(path) == "" {
		content, err := os.ReadFile(path)
		if want := "line,id,reference,result,field,file,here\n2,00m1,,different,quantity_grams,15001000000,15000000000\n"; !strings.HasPrefix(string(content), want) {
			t.Errorf("%q, %v", content, err)
		}
	}
	// A file without a column of ids is compared at once.
	box = look(write("refs.csv", "reference,tonnes\nPO 1,5\n"))
	if !strings.Contains(box, "–  00m1                missing in file  15,000 t") {
		t.Errorf("the missing request is not listed:\n%s", box)
	}
	r.Press("esc")
	box = look(write("all.csv", "id,tonnes\n00m1,15000\n"), "c")
	if !strings.Contains(box, "All records match.") {
		t.Errorf("the result is\n%s", box)
	}
	r.Press("tab")
	if box = r.box(100, 20); !strings.Contains(box, "2  00m1                matched") {
		t.Errorf("the record is not listed:\n%s", box)
	}
	r.Press("esc")
	failure = fails
	if box = look(write("all.csv", "id,tonnes\n00m1,15000\n"), "c"); !strings.Contains(box, "✗ The service cannot be reached.") {
		t.Errorf("the failure is not shown:\n%s", box)
	}
	r.Press("esc")
	r.Press("I")
	r.Reply(write("ambiguous.csv", "id;tonnes\n00m1;15,000\n"))
	r.Press("c")
	r.hears("Cannot compare ambiguous.csv")
}
