package journal

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"zombiezen.com/go/sqlite/sqlitex"
)

// started starts a call, as each of a batch is.
func started(t *testing.T, j *Journal, id string) *Attempt {
	t.Helper()
	attempt, err := j.Start(newCall(id))
	must(t, err)
	return attempt
}

// onDisk are the states of all calls, as another program reads them.
func onDisk(t *testing.T, path string) string {
	t.Helper()
	calls, err := opened(t, path).All(desk)
	must(t, err)
	text := ""
	for _, c := range calls {
		text += fmt.Sprintf("%s %s %t, ", c.ExternalID, c.State, c.Unsure)
	}
	return text
}

func TestWhatIsDoneIsWrittenDownWithTheNextCall(t *testing.T) {
	t.Parallel()
	j, path := fresh(t)
	written := j.Together()
	must(t, started(t, j, "a-1").Done("00m1"))
	if got := onDisk(t, path); got != "a-1 sent true, " {
		t.Errorf("when it is done: %s", got)
	}
	if _, err := opened(t, path).Begin(desk, "a-1"); !errors.Is(err, ErrHeld) {
		t.Errorf("another program: %v", err)
	}
	second := started(t, j, "a-2")
	if got := onDisk(t, path); got != "a-1 done false, a-2 sent true, " {
		t.Errorf("when the next is begun: %s", got)
	}
	must(t, second.Done("00m2"))
	must(t, written())
	if got := onDisk(t, path); got != "a-1 done false, a-2 done false, " {
		t.Errorf("at the end: %s", got)
	}
	must(t, started(t, j, "a-3").Done("00m3"))
	if got := onDisk(t, path); got != "a-1 done false, a-2 done false, a-3 done false, " {
		t.Errorf("behind it: %s", got)
	}
}

// A second answer would not tell it again.
func TestWhatCannotBeFoundOutAgainIsWrittenDownAtOnce(t *testing.T) {
	t.Parallel()
	for want, end := range map[string]func(*Attempt) error{
		"done false":    func(a *Attempt) error { return a.DoneElsewhere("00m1") },
		"refused false": func(a *Attempt) error { return a.Refused("SELL_ORDER_NOT_LIVE", "gone") },
		"unknown true":  func(a *Attempt) error { return a.Unknown("no answer") },
		"sent false":    func(a *Attempt) error { return a.Without("", "the key is refused") },
	} {
		j, path := fresh(t)
		j.Together()
		must(t, end(started(t, j, "a-1")))
		if got := onDisk(t, path); got != "a-1 "+want+", " {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestTheProgramItselfSeesAtOnceWhatIsDone(t *testing.T) {
	t.Parallel()
	j, _ := fresh(t)
	j.Together()
	must(t, started(t, j, "a-1").Done("00m1"))
	if _, err := j.Begin(desk, "a-1"); !errors.Is(err, ErrEnded) {
		t.Errorf("begun again: %v", err)
	}
	if call, err := j.Call(desk, "a-1"); err != nil || call.State != Done || call.RequestID != "00m1" {
		t.Errorf("%+v, %v", call, err)
	}
}

func TestWhatADyingProgramDidNotWriteDownIsAskedForAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.db")
	j, err := Open(t.Context(), path)
	must(t, err)
	j.Together()
	must(t, started(t, j, "a-1").Done("00m1"))
	must(t, started(t, j, "a-2").Done("00m2"))
	must(t, j.Close())
	next := opened(t, path)
	pending, err := next.Pending(desk)
	if err != nil || len(pending) != 1 || pending[0].ExternalID != "a-2" || !pending[0].Doubtful() {
		t.Fatalf("%+v, %v", pending, err)
	}
	must(t, begun(t, next, "a-2").Done("00m2"))
}

// A disk that does not take the next call takes what became of the one before,
// where that needs no room.
func TestACallIsDoneThoughTheDiskDoesNotTakeTheNext(t *testing.T) {
	t.Parallel()
	j, path := fresh(t)
	written := j.Together()
	must(t, started(t, j, "a-1").Done("00m1"))
	must(t, sqlitex.ExecuteTransient(j.conn, "PRAGMA max_page_count = 1", nil))
	large := newCall("a-2")
	large.Wish = fmt.Sprintf("%10000d", 1)
	if _, err := j.Start(large); !errors.Is(err, ErrDisk) {
		t.Fatalf("the disk took it: %v", err)
	}
	if got := onDisk(t, path); got != "a-1 sent true, " {
		t.Errorf("before it is written: %s", got)
	}
	must(t, written())
	if got := onDisk(t, path); got != "a-1 done false, " {
		t.Errorf("at the end: %s", got)
	}
}

func TestWhatTheDiskDoesNotTakeAtTheEndIsSaid(t *testing.T) {
	t.Parallel()
	j, path := fresh(t)
	written := j.Together()
	must(t, started(t, j, "a-1").Done("00m1"))
	must(t, sqlitex.ExecuteTransient(j.conn, "PRAGMA query_only = ON", nil))
	if err := written(); !errors.Is(err, ErrDisk) {
		t.Errorf("%v", err)
	}
	if got := onDisk(t, path); got != "a-1 sent true, " {
		t.Error(got)
	}
	if _, err := j.All(desk); err != nil {
		t.Errorf("the journal is read: %v", err)
	}
}
