package retire

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitemigration"
	"zombiezen.com/go/sqlite/sqlitex"
)

func TestACallIsSentWithTheKeyThatMadeIt(t *testing.T) {
	t.Parallel()
	j, path := fresh(t)
	one, two, none := newCall("a-1"), newCall("a-1"), newCall("a-1")
	one.KeyMark, two.KeyMark = keyMark("key of one"), keyMark("key of two")
	must(t, j.prepare(one))
	for _, other := range []Call{two, none} {
		if _, err := j.begin(other.Account, "a-1"); !errors.Is(err, ErrOtherKey) || errors.Is(err, ErrDisk) {
			t.Errorf("begun by another key: %v", err)
		}
		if _, err := j.start(other); !errors.Is(err, ErrOtherKey) {
			t.Errorf("started by another key: %v", err)
		}
	}
	if got := only(t, path); got.Tries != 0 || got.State != Prepared || got.KeyMark != one.KeyMark {
		t.Errorf("%+v", got)
	}
	attempt, err := j.begin(one.Account, "a-1")
	must(t, err)
	must(t, attempt.end(ending{State: Unknown, Message: "no answer"}))
	if _, err := j.begin(two.Account, "a-1"); !errors.Is(err, ErrOtherKey) {
		t.Errorf("once it is unknown: %v", err)
	}
	must(t, j.giveUp(none.Account, "a-1"))
	if err := sqlitex.Execute(j.conn, `UPDATE call SET key_mark = 'b'`, nil); err == nil {
		t.Error("the mark can be changed")
	}
}

func TestAMarkTellsKeysApartAndNobodyTheKey(t *testing.T) {
	t.Parallel()
	key := "0123456789abcdef"
	if m := keyMark(key); len(m) != 16 || strings.Contains(key, m) || m == keyMark(key+"0") || m != keyMark(key) || keyMark("") != "" {
		t.Errorf("%q", m)
	}
}

func TestAJournalOfBeforeKeysWereMarkedIsGoneOnWith(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.db")
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	must(t, err)
	before := sqlitemigration.Schema{AppID: applicationID, Migrations: kind().Migrations[:1]}
	must(t, sqlitemigration.Migrate(t.Context(), conn, before))
	must(t, sqlitex.Execute(conn, `INSERT INTO call (origin, profile, external_id, batch, reference, wish, plan, body, made_by, made_at, state)
		VALUES ('https://market.example', 'desk', 'a-1', '', '', '', '{}', x'7b7d', 'ada', 0, 'unknown')`, nil))
	must(t, conn.Close())
	j := opened(t, path)
	with := desk
	with.KeyMark = keyMark("any")
	attempt, err := j.begin(with, "a-1")
	must(t, err)
	must(t, attempt.end(ending{State: Done, RequestID: "00m1"}))
	if got := only(t, path); got.State != Done || got.KeyMark != "" || string(got.Body) != "{}" {
		t.Errorf("%+v", got)
	}
}
