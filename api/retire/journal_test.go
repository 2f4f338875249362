package retire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitemigration"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/model/dbfile/dbfiletest"
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
		_, err = j.begin(desk, "a-1")
	}
	fmt.Println(err)
	select {}
}

var desk = account

func newCall(id string) Call {
	return Call{
		Account: desk, ExternalID: id, Batch: "2026-11.csv", Reference: "flight-9", Request: "2.5 t",
		Plan: retirement.Call{VintageID: "004a", Quantity: 2_500_000, FromInventory: 874_900, BuyTonnes: 2, SellOrderID: "006b", Price: 592, Cost: 1184},
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

func begun(t *testing.T, j *journal, id string) *attempt {
	t.Helper()
	return must.Get(j.begin(desk, id))
}

func started(t *testing.T, j *journal, c Call, end outcome) {
	t.Helper()
	attempt, err := j.start(c)
	must.Succeed(t, err, attempt.end(end))
}

// only returns the one call of a journal, as another program reads it.
func only(t *testing.T, path string) Call {
	t.Helper()
	calls, err := opened(t, path).list(OfAccount, desk)
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

func TestAnIDAlwaysStandsForTheSameBody(t *testing.T) {
	j, path := fresh(t)
	must.Succeed(t, j.prepare(newCall("a-1")))
	must.Succeed(t, j.prepare(newCall("a-1")))
	other := newCall("a-1")
	other.Body = []byte(`{"external_id":"a-1","quantity_grams":"9"}`)
	must.Fail(t, j.prepare(newCall("a-2"), other), ErrOtherBody)
	must.Equal(t, string(only(t, path).Body), string(newCall("a-1").Body))
}

// A service that answers 401 to the second try has said nothing of the first, and a network that
// fails then says nothing of a gateway that forwarded the call.
func TestWhatIsKnownOfACallStaysSoUntilMoreIsKnown(t *testing.T) {
	for first, want := range map[outcome]outcome{
		{State: Unknown, Message: "no answer"}:                         {State: Unknown, TurnedAway: 401, Message: "the key is refused"},
		{State: Sent, TurnedAway: 403, Message: "the role is missing"}: {State: Sent, TurnedAway: 403, Message: "the role is missing"},
	} {
		second := outcome{State: Sent, Message: "connection refused"}
		if first.State == Unknown {
			second = outcome{State: Sent, TurnedAway: 401, Message: "the key is refused"}
		}
		j, path := fresh(t)
		must.Succeed(t, j.prepare(newCall("a-1")), begun(t, j, "a-1").end(first), begun(t, j, "a-1").end(second))
		got := only(t, path)
		must.Equal(t, outcome{State: got.State, TurnedAway: got.TurnedAway, Message: got.Message}, want, got)
		must.Hold(t, got.Tries == 2 && got.Unsure == (first.State == Unknown), got)
		must.Succeed(t, begun(t, j, "a-1").end(outcome{State: Done, RequestID: "00m1"}))
		got = only(t, path)
		must.Hold(t, got.State == Done && !got.Unsure && got.TurnedAway == 0, got)
	}
}

func TestACallIsMadeByOneAtATime(t *testing.T) {
	j, path := fresh(t)
	must.Succeed(t, j.prepare(newCall("a-1")))
	attempt := begun(t, j, "a-1")
	other := opened(t, path)
	for name, journal := range map[string]*journal{"the same program": j, "another program": other} {
		must.Fail(t, must.Err(journal.begin(desk, "a-1")), ErrHeld, name)
		must.Fail(t, must.Err(journal.start(newCall("a-1"))), ErrHeld, name)
		must.Fail(t, journal.giveUp(desk, "a-1"), ErrHeld, name)
	}
	must.Succeed(t, attempt.end(outcome{State: Unknown, Message: "no answer"}))
	must.Succeed(t, begun(t, other, "a-1").end(outcome{State: Done, RequestID: "00m1"}))
	must.Fail(t, must.Err(j.begin(desk, "a-2")), ErrNoCall, "a call that is not in the journal")
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
	must.Fail(t, must.Err(j.begin(desk, "a-1")), ErrHeld, "while the child lives")
	must.Succeed(t, child.Process.Kill())
	_ = child.Wait()
	attempt := begun(t, j, "a-1")
	must.Hold(t, attempt.Call.State == Sent && attempt.Call.Unsure, attempt.Call)
	must.Succeed(t, attempt.end(outcome{State: Done, RequestID: "00m1"}))
	left, err := filepath.Glob(filepath.Join(path+"-owners", "*"))
	must.Hold(t, err == nil && len(left) == 1, "files of programs", left, err)
}

func TestAnotherAccountHasCallsOfItsOwn(t *testing.T) {
	j, _ := fresh(t)
	other := newCall("a-1")
	other.Profile, other.Body = "other", []byte("{}")
	must.Succeed(t, j.prepare(newCall("a-1"), other))
	calls, err := j.list(OfBatch("2026-11.csv"), desk)
	must.Hold(t, err == nil && len(calls) == 1 && calls[0].Profile == "desk", "calls =", calls, err)
}

func TestTheJournalNeverGoesBack(t *testing.T) {
	for _, forbidden := range []string{
		`UPDATE call SET state = 'prepared'`, `UPDATE call SET state = 'refused'`, `UPDATE call SET body = x'00'`,
		`UPDATE call SET external_id = 'b'`, `DELETE FROM call`,
	} {
		j, path := fresh(t)
		must.Succeed(t, j.prepare(newCall("a-1")))
		must.Succeed(t, begun(t, j, "a-1").end(outcome{State: Done, RequestID: "00m1"}))
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
		full = j.prepare(newCall(fmt.Sprint("a-", prepared)))
	}
	must.Need(t, errors.Is(full, ErrDisk) && strings.Contains(full.Error(), "full"), "after", prepared, full)
	calls, err := opened(t, path).list(OfAccount, desk)
	must.Hold(t, err == nil && len(calls) == prepared-1, len(calls), err, prepared-1)
	pages("1000000")
	must.Succeed(t, j.prepare(newCall("with room again")))
}

func TestAPersonSettlesWhatIsNotKnown(t *testing.T) {
	for _, tt := range []struct {
		request string
		givenUp bool
		state   State
	}{{"00m1", false, Done}, {"00m1", true, Done}, {"", false, Refused}, {"", true, Refused}} {
		j, path := fresh(t)
		must.Succeed(t, j.prepare(newCall("a-1")))
		attempt := begun(t, j, "a-1")
		must.Fail(t, j.settle(desk, "a-1", tt.request), ErrHeld, "while it is being sent")
		must.Succeed(t, attempt.end(outcome{State: Unknown, Message: "no answer"}))
		if tt.givenUp {
			must.Succeed(t, j.giveUp(desk, "a-1"))
		}
		must.Succeed(t, j.settle(desk, "a-1", tt.request))
		got := only(t, path)
		must.Hold(t, got.State == tt.state && got.RequestID == tt.request && !got.Unsure && strings.Contains(got.Message, "ann") && !got.Elsewhere, got)
		must.Fail(t, j.settle(desk, "a-1", tt.request), ErrEnded, "again")
	}
}

// A mistyped id would mark a call as done that was never sent: its quantity would
// never be retired.
func TestACallThatWasNeverSentIsInNoRequest(t *testing.T) {
	for _, givenUp := range []bool{false, true} {
		j, path := fresh(t)
		must.Succeed(t, j.prepare(newCall("a-1")))
		if givenUp {
			must.Succeed(t, j.giveUp(desk, "a-1"))
		}
		must.Fail(t, j.settle(desk, "a-1", "00m1"), ErrNotSent, givenUp)
		got := only(t, path)
		must.Hold(t, got.State == Prepared && got.RequestID == "", got)
		must.Succeed(t, j.settle(desk, "a-1", ""))
		must.Equal(t, only(t, path).State, Refused)
	}
}

func TestAJournalThatTheDiskDoesNotTakeSaysSo(t *testing.T) {
	for _, code := range []sqlite.ResultCode{sqlite.ResultFull, sqlite.ResultReadOnly, sqlite.ResultIOErr.ToPrimary(), sqlite.ResultCantOpen} {
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
func (j *journal) prepare(calls ...Call) error { return j.confirm(Confirmed{Calls: calls, Known: -1}) }

// as returns the workflow of an account on the journal.
func (j *journal) as(a Account) *Workflow {
	return &Workflow{opened: j, Account: a, By: "ann", Now: time.Now}
}

func (j *journal) list(q Query, a Account) ([]Call, error) {
	return j.as(a).Calls(context.Background(), q)
}

func (j *journal) unsettled(a Account) ([]Call, error) {
	return j.as(a).Unsettled(context.Background())
}

func (j *journal) giveUp(a Account, id string) error {
	_, err := j.as(a).Abandon(context.Background(), id)
	return err
}

func (j *journal) settle(a Account, id, request string) error {
	_, err := j.as(a).Settle(context.Background(), id, request)
	return err
}

// Who waits for the answer to a call of a program that lives has nothing to find
// out yet.
func TestACallOfAProgramThatLivesIsUnderWay(t *testing.T) {
	looking, path := fresh(t)
	sending := must.Get(openJournal(t.Context(), path))
	attempt := must.Get(sending.start(newCall("a-1")))
	must.Succeed(t, looking.prepare(newCall("a-2")))
	is := func(j *journal, want ...bool) {
		t.Helper()
		calls := must.Get(j.unsettled(desk))
		sent := 0
		for i, c := range calls {
			must.Hold(t, i < len(want) && c.UnderWay == want[i], c.ExternalID, c.UnderWay)
			if !c.UnderWay && c.State != Prepared {
				sent++
			}
		}
		must.Hold(t, len(calls) == len(want) && len(NotKnown(calls)) == sent, len(calls), len(NotKnown(calls)))
	}
	is(sending, true, false)
	is(looking, true, false)
	must.Succeed(t, attempt.end(outcome{State: Unknown, Message: "no answer"}))
	is(looking, false, false)
	must.Get(sending.begin(desk, "a-1"))
	is(looking, true, false)
	must.Succeed(t, sending.close())
	is(looking, false, false)
	must.Succeed(t, looking.giveUp(desk, "a-1"))
	is(looking, false, false)
}

func givenUp(j *journal) ([]Call, error) {
	calls, err := j.unsettled(desk)
	return slices.DeleteFunc(calls, Call.Open), err
}

func TestACallIsSentWithTheKeyThatMadeIt(t *testing.T) {
	j, path := fresh(t)
	one, two, none := newCall("a-1"), newCall("a-1"), newCall("a-1")
	one.KeyMark, two.KeyMark = keyMark("key of one"), keyMark("key of two")
	must.Succeed(t, j.prepare(one))
	for _, other := range []Call{two, none} {
		_, err := j.begin(other.Account, "a-1")
		must.Hold(t, errors.Is(err, ErrOtherKey) && !errors.Is(err, ErrDisk), "begun by another key", err)
		must.Fail(t, must.Err(j.start(other)), ErrOtherKey, "started by another key")
	}
	got := only(t, path)
	must.Hold(t, got.Tries == 0 && got.State == Prepared && got.KeyMark == one.KeyMark, got)
	attempt := must.Get(j.begin(one.Account, "a-1"))
	must.Succeed(t, attempt.end(outcome{State: Unknown, Message: "no answer"}))
	must.Fail(t, must.Err(j.begin(two.Account, "a-1")), ErrOtherKey, "once it is unknown")
	must.Succeed(t, j.giveUp(none.Account, "a-1"))
	err := sqlitex.Execute(j.conn, `UPDATE call SET key_mark = 'b'`, nil)
	must.Hold(t, err != nil, "the mark can be changed")
}

func TestAMarkTellsKeysApartAndNobodyTheKey(t *testing.T) {
	key := "0123456789abcdef"
	m := keyMark(key)
	must.Hold(t, len(m) == 16 && !strings.Contains(key, m) && m != keyMark(key+"0") && m == keyMark(key) && keyMark("") == "", m)
}

func TestAJournalOfBeforeKeysWereMarkedIsGoneOnWith(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	conn := must.Get(sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate))
	before := sqlitemigration.Schema{AppID: applicationID, Migrations: kind().Migrations[:1]}
	must.Succeed(t, sqlitemigration.Migrate(t.Context(), conn, before))
	must.Succeed(t, sqlitex.Execute(conn, `INSERT INTO call (origin, profile, external_id, batch, reference, wish, plan, body, made_by, made_at, state)
		VALUES ('https://market.example', 'desk', 'a-1', '', '', '', '{}', x'7b7d', 'ada', 0, 'unknown')`, nil))
	must.Succeed(t, conn.Close())
	j := opened(t, path)
	with := desk
	with.KeyMark = keyMark("any")
	must.Succeed(t, must.Get(j.begin(with, "a-1")).end(outcome{State: Done, RequestID: "00m1"}))
	got := only(t, path)
	must.Hold(t, got.State == Done && got.KeyMark == "" && string(got.Body) == "{}", got)
}

// planned is a call of a single retirement.
func planned(id string) Call {
	c := newCall(id)
	c.Batch = ""
	return c
}

func states(t *testing.T, j *journal) string {
	t.Helper()
	calls := must.Get(j.list(withReference("flight-9"), desk))
	var all string
	for _, c := range calls {
		all += c.ExternalID + " " + string(c.State)
		if c.GivenUp {
			all += " given up"
		}
		all += "; "
	}
	return all
}

func TestANewPlanTakesThePlaceOfCallsThatWereNeverSent(t *testing.T) {
	j, _ := fresh(t)
	must.Succeed(t, j.confirm(Confirmed{Calls: []Call{planned("a-1"), planned("a-2")}}))
	must.Fail(t, j.confirm(Confirmed{Calls: []Call{planned("b-1")}, Known: 2}), ErrUnsettled, "next to them")
	started(t, j, planned("a-1"), outcome{State: Done, RequestID: "R1"})
	err := j.confirm(Confirmed{Calls: []Call{planned("b-1")}, Replaced: []string{"a-1", "a-2"}, Known: 2})
	must.Hold(t, errors.Is(err, ErrHeld), "one was sent meanwhile", err)
	must.Succeed(t, j.confirm(Confirmed{Calls: []Call{planned("b-1")}, Replaced: []string{"a-2", "never written"}, Known: 2}))
	must.Equal(t, states(t, j), "a-1 done; a-2 prepared given up; b-1 prepared; ")
	must.Fail(t, must.Err(j.start(planned("a-2"))), ErrEnded, "what was given up is sent")
	// The journal may have been moved away since the plan was made, or another program retired the same.
	j, path := fresh(t)
	must.Fail(t, j.confirm(Confirmed{Calls: []Call{planned("a-1")}, Known: 1}), ErrHeld, "a journal without the calls")
	must.Equal(t, states(t, j), "")
	started(t, opened(t, path), planned("a-1"), outcome{State: Done, RequestID: "R1"})
	must.Fail(t, j.confirm(Confirmed{Calls: []Call{planned("b-1")}}), ErrHeld, "retired meanwhile")
	must.Succeed(t, j.confirm(Confirmed{Calls: []Call{planned("b-1")}, Known: -1}))
}

func TestACallThatWasGivenUpInDoubtStandsInTheWayOfAnother(t *testing.T) {
	for name, end := range map[string]outcome{
		"without an answer": {State: Unknown, Message: "no answer"},
		// A proxy may send 403 for a call that the service carried out.
		"turned away": {State: Sent, TurnedAway: 403, Message: "no"},
	} {
		t.Run(name, func(t *testing.T) {
			j, _ := fresh(t)
			doubted := func(want int) {
				t.Helper()
				calls := must.Get(givenUp(j))
				must.Hold(t, len(calls) == want && (want <= 0 || calls[0].Doubtful()), "in doubt are", calls)
			}
			started(t, j, planned("a-1"), end)
			must.Succeed(t, j.giveUp(desk, "a-1"))
			must.Fail(t, must.Err(j.start(planned("b-1"))), ErrUnsettled, "started")
			must.Fail(t, j.confirm(Confirmed{Calls: []Call{planned("b-1")}, Known: 1}), ErrUnsettled, "confirmed")
			doubted(1)
			must.Succeed(t, j.settle(desk, "a-1", ""))
			doubted(0)
			must.Succeed(t, j.confirm(Confirmed{Calls: []Call{planned("b-1")}, Known: 1}))
			started(t, j, planned("b-1"), outcome{State: Sent, Message: "nothing was sent"})
			must.Succeed(t, j.giveUp(desk, "b-1"))
			doubted(0)
		})
	}
}

// A dashboard that looks every few seconds tells by the file whether there is
// something new.
func TestWhoOnlyReadsLeavesTheFileAsItIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	j := must.Get(openJournal(t.Context(), path))
	must.Succeed(t, j.prepare(newCall("a-1")))
	must.Succeed(t, j.close())
	before := time.Unix(1_790_000_000, 0)
	must.Succeed(t, os.Chtimes(path, before, before))
	j = must.Get(openJournal(t.Context(), path))
	must.Equal(t, len(must.Get(j.unsettled(desk))), 1)
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

func TestAnEmptyFileThatNoCallWasSentWithBecomesAJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	must.Succeed(t, os.WriteFile(path, nil, 0o600))
	j := must.Get(openJournal(t.Context(), path))
	must.Succeed(t, j.prepare(newCall("a-1")))
	must.Succeed(t, j.close())
}
