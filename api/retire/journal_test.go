package retire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitemigration"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/model/file/dbfile/dbfiletest"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

// childFile is set in the environment of a child that begins an attempt and
// lives until it is killed.
const childFile = "JOURNAL_TEST_CHILD_FILE"

func TestMain(m *testing.M) {
	if path := os.Getenv(childFile); path != "" {
		beginAndWait(path)
	}
	os.Exit(m.Run())
}

func beginAndWait(path string) {
	j, err := openJournal(context.Background(), path)
	if err == nil {
		_, err = j.begin(account, "a-1")
	}
	fmt.Println(err)
	select {}
}

var customer = retirement.Retiree{ID: "C-7", Name: `Müller "GmbH"`, TaxID: `DE 1\2`, Country: "DE"}

func newCall(id string) Call {
	return Call{
		Account: account, ExternalID: id, Batch: "2026-11.csv", Reference: "flight-9",
		Request: retirement.RetireRequest{VintageID: "004a", Quantity: 5_000_000, Retiree: customer, SellOrderID: "006b"},
		Plan: retirement.Call{VintageID: "004a", Retiree: customer, Quantity: 2_500_000, FromInventory: 874_900,
			BuyTonnes: 2, SellOrderID: "006b", Price: 592, Cost: 1184},
		Body: []byte(`{"external_id":"` + id + `"}`), MadeBy: "ada@desk", MadeAt: time.UnixMilli(1_790_000_000_000),
	}
}

func opened(t *testing.T, path string) *journal {
	t.Helper()
	j := must.Get(openJournal(t.Context(), path))
	t.Cleanup(func() { must.Succeed(t, j.close()) })
	return j
}

func fresh(t *testing.T) (*journal, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "journal.db")
	return opened(t, path), path
}

// only returns the one call of a journal, as another program reads it.
func only(t *testing.T, path string) Call {
	t.Helper()
	calls, err := opened(t, path).list(OfAccount)
	must.Need(t, err == nil && len(calls) == 1, "calls =", calls, err)
	return calls[0]
}

func TestACallIsKeptAsItWasPrepared(t *testing.T) {
	j, path := fresh(t)
	must.Succeed(t, j.prepare(newCall("a-1")))
	got, want := only(t, path), newCall("a-1")
	want.State, want.id = Prepared, 1
	must.Equal(t, fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want), got, want)
}

func TestAProgramThatWasKilledHoldsNothing(t *testing.T) {
	j, path := fresh(t)
	must.Succeed(t, j.prepare(newCall("a-1")))
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childFile+"="+path)
	out := must.Get(child.StdoutPipe())
	must.Succeed(t, child.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	must.Need(t, err == nil && line == "<nil>\n", "the child", line, err)
	must.Fail(t, must.Err(j.begin(account, "a-1")), ErrHeld, "while the child lives")
	must.Succeed(t, child.Process.Kill())
	_ = child.Wait()
	attempt := must.Get(j.begin(account, "a-1"))
	must.Hold(t, attempt.Call.State == Sent && attempt.Call.Unsure, attempt.Call)
	must.Succeed(t, attempt.end(outcome{State: Done, RequestID: "00m1"}))
	left, err := filepath.Glob(filepath.Join(path+"-owners", "*"))
	must.Hold(t, err == nil && len(left) == 1, "files of programs", left, err)
}

// A service that turns the second try away has said nothing of the first.
func TestUnsureCallThatIsTurnedAwayStaysUnknown(t *testing.T) {
	j, path := fresh(t)
	for _, end := range []outcome{{State: Unknown, Message: "no answer"},
		{State: Sent, TurnedAway: 401, Message: "the key is refused"}} {
		must.Succeed(t, must.Get(j.start(newCall("a-1"))).end(end))
	}
	got := only(t, path)
	must.Hold(t, got.State == Unknown && got.Unsure && got.TurnedAway == 401 && got.Tries == 2, got)
}

func TestTheJournalNeverGoesBack(t *testing.T) {
	for _, forbidden := range []string{
		`UPDATE call SET state = 'prepared'`, `UPDATE call SET state = 'refused'`, `UPDATE call SET body = x'00'`,
		`UPDATE call SET external_id = 'b'`, `UPDATE call SET key_mark = 'b'`, `DELETE FROM call`,
	} {
		j, path := fresh(t)
		c := newCall("a-1")
		c.KeyMark = keyMark("key")
		must.Succeed(t, must.Get(j.start(c)).end(outcome{State: Done, RequestID: "00m1"}))
		must.Hold(t, sqlitex.Execute(j.conn, forbidden, nil) != nil, forbidden)
		got := only(t, path)
		must.Hold(t, got.State == Done && got.ExternalID == "a-1", "after", forbidden, got)
	}
}

func TestForeignFileIsNotChangedByJournal(t *testing.T) {
	for name, stranger := range dbfiletest.Strangers() {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "journal.db")
			stranger.Make(t, path)
			dbfiletest.Untouched(t, dir, func() {
				must.Hold(t, must.Err(openJournal(t.Context(), path)) != nil, "it is used")
			})
		})
	}
}

// A call that is not on disk is not there: neither this program nor another
// one sends it.
func TestWhatAFullDiskDoesNotTakeIsNotInTheJournal(t *testing.T) {
	j, path := fresh(t)
	pages := func(limit string) {
		must.Succeed(t, sqlitex.ExecuteTransient(j.conn, "PRAGMA max_page_count = "+limit, nil))
	}
	pages("1")
	prepared := 0
	var full error
	for ; full == nil && prepared < 1000; prepared++ {
		c := newCall(fmt.Sprint("a-", prepared))
		c.Reference = c.ExternalID
		full = j.prepare(c)
	}
	must.Need(t, errors.Is(full, ErrDisk) && strings.Contains(full.Error(), "full"), "after", prepared, full)
	calls, err := opened(t, path).list(OfAccount)
	must.Hold(t, err == nil && len(calls) == prepared-1, len(calls), err, prepared-1)
	pages("1000000")
	again := newCall("with room again")
	again.Reference = again.ExternalID
	must.Succeed(t, j.prepare(again))
}

func TestACallWhoseBeginIsNotWrittenIsNotHeld(t *testing.T) {
	j, _ := fresh(t)
	must.Succeed(t, j.prepare(newCall("a-1")))
	must.Succeed(t, sqlitex.ExecuteScript(j.conn, `PRAGMA foreign_keys = ON;
		CREATE TABLE part (id INTEGER PRIMARY KEY, of INTEGER REFERENCES part DEFERRABLE INITIALLY DEFERRED);
		CREATE TRIGGER no_commit AFTER UPDATE ON call BEGIN INSERT INTO part (of) VALUES (-1); END`, nil))
	must.Hold(t, must.Err(j.begin(account, "a-1")) != nil, "a begin that is not committed succeeds")
	must.Succeed(t, sqlitex.Execute(j.conn, `DROP TRIGGER no_commit`, nil))
	must.Succeed(t, must.Err(j.begin(account, "a-1")))
}

func TestAJournalThatTheDiskDoesNotTakeSaysSo(t *testing.T) {
	for _, code := range []sqlite.ResultCode{sqlite.ResultFull, sqlite.ResultReadOnly, sqlite.ResultIOErr.ToPrimary(),
		sqlite.ResultCantOpen} {
		err := openError("/a/journal.db", fmt.Errorf("write: %w", code.ToError()))
		must.Hold(t, errors.Is(err, ErrDisk) && strings.Contains(err.Error(), "/a/journal.db"), code, err)
	}
	must.Fail(t, openError("/a/journal.db", fmt.Errorf("write: %w", syscall.ENOSPC)), ErrDisk)
	err := openError("/a/journal.db", sqlite.ResultCorrupt.ToError())
	must.Hold(t, !errors.Is(err, ErrDisk), "a broken file", err)
	busy := sqlite.ResultBusy.ToError()
	for _, err := range []error{diskError(busy), openError("/a/journal.db", busy)} {
		must.Hold(t, errors.Is(err, ErrLocked) && !errors.Is(err, ErrDisk), "a locked journal", err)
	}
}

// prepare writes calls down, all or none.
func (j *journal) prepare(calls ...Call) error { return j.confirm(Confirmed{Calls: calls}) }

func (j *journal) list(q Query) ([]Call, error) {
	return (&Workflow{opened: j, Account: account}).Calls(context.Background(), q)
}

func TestAMarkTellsKeysApartAndNobodyTheKey(t *testing.T) {
	key := "0123456789abcdef"
	m := keyMark(key)
	must.Hold(t,
		len(m) == 16 && !strings.Contains(key, m) && m != keyMark(key+"0") && m == keyMark(key) && keyMark("") == "", m)
}

func TestAJournalOfBeforeKeysWereMarkedIsGoneOnWith(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	conn := must.Get(sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate))
	before := sqlitemigration.Schema{AppID: applicationID, Migrations: kind().Migrations[:1]}
	must.Succeed(t, sqlitemigration.Migrate(t.Context(), conn, before))
	must.Succeed(t,
		sqlitex.Execute(conn,
			`INSERT INTO call (origin, profile, external_id, batch, reference, wish, plan, body, made_by, made_at, state)
		VALUES ('https://market.example', 'desk', 'a-1', '', '', '', '{}', x'7b7d', 'ada', 0, 'unknown')`, nil))
	must.Succeed(t, conn.Close())
	j := opened(t, path)
	with := account
	with.KeyMark = keyMark("any")
	must.Succeed(t, must.Get(j.begin(with, "a-1")).end(outcome{State: Done, RequestID: "00m1"}))
	got := only(t, path)
	must.Hold(t, got.State == Done && got.KeyMark == "" && string(got.Body) == "{}", got)
}

// An empty file becomes a journal if no call was sent with it. A dashboard that looks
// every few seconds tells by the file whether there is something new.
func TestWhoOnlyReadsLeavesTheFileAsItIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	must.Succeed(t, os.WriteFile(path, nil, 0o600))
	j := must.Get(openJournal(t.Context(), path))
	must.Succeed(t, j.prepare(newCall("a-1")))
	must.Succeed(t, j.close())
	before := time.Unix(1_790_000_000, 0)
	must.Succeed(t, os.Chtimes(path, before, before))
	j = must.Get(openJournal(t.Context(), path))
	must.Equal(t, len(must.Get(j.list(UnsettledOf(account)))), 1)
	must.Succeed(t, j.close())
	info := must.Get(os.Stat(path))
	must.Hold(t, info.ModTime().Equal(before), "it was written at", info.ModTime())
}

// A journal that lost its content would let every call that it knew be sent again
// under a new id.
func TestJournalWithLostContentIsRefused(t *testing.T) {
	for name, empty := range map[string]func(path string) error{
		"deleted":    os.Remove,
		"zero bytes": func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"zero bytes and a log": func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.WriteFile(path+"-wal", []byte("log"), 0o600))
		},
		"no tables": func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
			return errors.Join(err, sqlitex.ExecuteTransient(conn, "VACUUM", nil), conn.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "journal.db")
			j := must.Get(openJournal(t.Context(), path))
			must.Succeed(t, must.Get(j.start(newCall("a-1"))).end(outcome{State: Done, RequestID: "00m1"}))
			must.Succeed(t, j.close())
			must.Succeed(t, empty(path))
			before := must.Get(os.ReadDir(filepath.Dir(path)))
			j, err := openJournal(t.Context(), path)
			must.Hold(t, errors.Is(err, ErrEmptied) && strings.Contains(err.Error(), path), j, err)
			must.Equal(t, len(must.Get(os.ReadDir(filepath.Dir(path)))), len(before), before)
		})
	}
}

// The reasons were messages, which were read back.
func TestTheReasonsOfAnOlderJournalAreConverted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	must.Succeed(t, os.WriteFile(path, must.Get(os.ReadFile("testdata/schema-2.db")), 0o600))
	must.Equal(t, texts(nil, must.Get(opened(t, path).list(OfAccount))...), []string{
		"done done in 00m1 after 1 tries made by ada@desk",
		"elsewhere done made elsewhere in 00m2 after 1 tries made by ada@desk",
		`refused refused after 1 tries SELL_ORDER_NOT_LIVE "it was sold" made by ada@desk`,
		`turned away sent turned away by 403 after 1 tries "the role is missing: ask" made by ada@desk`,
		`no connection sent after 1 tries "connection refused" made by ada@desk`,
		`unknown unknown unsure doubtful after 1 tries "no answer in time" made by ada@desk`,
		`turned away in doubt unknown unsure doubtful turned away by 429 after 2 tries "too many requests" made by ada@desk`,
		"prepared prepared made by ada@desk",
	})
}

// A program that was started before the journal was converted can write no call.
func TestOlderCallsAreFoundByTheIdentityOfTheirReference(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	conn := must.Get(sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate))
	before := sqlitemigration.Schema{AppID: applicationID, Migrations: kind().Migrations[:4]}
	must.Succeed(t, sqlitemigration.Migrate(t.Context(), conn, before))
	insert := func(id, reference string) error {
		return sqlitex.Execute(conn,
			`INSERT INTO call (origin, profile, external_id, batch, reference, wish, plan, body, made_by, made_at, state)
			VALUES ('https://market.example', 'desk', ?, '', ?, '20 g of "004a" from "" for ["" "" ""
			""]', '{}', x'7b7d', 'ada', 0, 'done')`,
			&sqlitex.ExecOptions{Args: []any{id, reference}})
	}
	must.Succeed(t, insert("before", "Mu\u0308ller\u00a07"))
	must.Succeed(t, insert("other", "Muller 7"))
	j := opened(t, path)
	must.Hold(t, insert("meanwhile", "M\u00fcller\u2007 7") != nil, "an older program writes a call")
	must.Succeed(t, conn.Close())
	w := &Workflow{opened: j, Account: account}
	h := must.Get(w.Recall(t.Context(), "M\u00fcller 7"))
	must.Equal(t, texts(nil, h.Made...), []string{"before done made by ada"})
	c := call("new", "M\u00fcller 7")
	c.Account, c.basis = account, &basis{}
	must.Fail(t, j.confirm(Confirmed{Calls: []Call{c}}), ErrChanged)
	c.basis = &basis{known: h.Made}
	must.Succeed(t, j.confirm(Confirmed{Calls: []Call{c}}))
}
