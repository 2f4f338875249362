package dbfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/model/file/dbfile"
	"tonne/model/file/dbfile/dbfiletest"
	must "tonne/model/musttest"
)

var kind = dbfile.Kind{AppID: 0x746f6e00, Migrations: make([]string, 2)}

func TestWhatIsNotOursIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	for name, stranger := range dbfiletest.Strangers() {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "market.db")
			stranger.Make(t, path)
			dbfiletest.Untouched(t, dir, func() {
				_, err := kind.Claim(path)
				var foreign *dbfile.ForeignError
				if !errors.As(err, &foreign) || foreign.Path != path || !strings.Contains(foreign.Why, stranger.Says) {
					t.Errorf("%v", err)
				}
			})
		})
	}
}

// The log of a database lies next to the name by which it was opened, so under another name the
// database seems to be empty.
func TestAFileWithAnotherNameIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	served, other := filepath.Join(dir, "served.db"), filepath.Join(dir, "other.db")
	conn := dbfiletest.Open(t, served, "PRAGMA journal_mode = WAL; PRAGMA application_id = 0x746f6e00; CREATE TABLE a (b)")
	defer conn.Close()
	if err := os.Link(served, other); err != nil {
		t.Skip(err)
	}
	for _, path := range []string{served, other} {
		dbfiletest.Untouched(t, dir, func() {
			_, err := kind.Claim(path)
			var foreign *dbfile.ForeignError
			must.Hold(t, errors.As(err, &foreign) && strings.Contains(foreign.Why, "2 names"), path, err)
		})
	}
	must.Succeed(t, os.Remove(other))
	must.Succeed(t, must.Err(kind.Claim(served)))
}

// It is looked at without a lock, so that a write of another process may be seen
// half done.
func TestAFileThatSomebodyIsMakingIsNotCalledDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "market.db")
	conn := dbfiletest.Open(t, path, "PRAGMA application_id = 0x746f6e00; PRAGMA user_version = 1; CREATE TABLE a (b)")
	must.Succeed(t, conn.Close())
	whole := must.Get(os.ReadFile(path))
	half := append(make([]byte, 50), whole[50:]...)
	synctest.Test(t, func(t *testing.T) {
		must.Succeed(t, os.WriteFile(path, half, 0o600))
		go func() {
			time.Sleep(25 * time.Millisecond)
			err := os.WriteFile(path, whole, 0o600)
			must.Hold(t, err == nil, err)
		}()
		must.Succeed(t, must.Err(kind.Claim(path)))
	})
}

// sound opens a database and fails the test where rows of it are missing.
func sound(t *testing.T, path string) {
	t.Helper()
	conn := dbfiletest.Open(t, path, "SELECT 1")
	defer closed(t, conn)
	for query, want := range map[string]string{
		"PRAGMA integrity_check":        "ok",
		"SELECT sum(length(a)) FROM t1": "20000",
	} {
		must.Equal(t, must.Get(sqlitex.ResultText(must.Get(conn.Prepare(query)))), want, query)
	}
}

func closed(t *testing.T, conn *sqlite.Conn) {
	t.Helper()
	must.Succeed(t, conn.Close())
}

const ours = "PRAGMA application_id = 0x746f6e00;PRAGMA user_version = 2;CREATE TABLE t (a)"

func TestOursAreClaimed(t *testing.T) {
	for name, script := range map[string]string{
		"none yet":          "",
		"an empty file":     "SELECT 1",
		"an empty database": "VACUUM;PRAGMA journal_mode = WAL",
		"a database":        ours,
		"a marked one":      "PRAGMA application_id = 0x746f6e00",
		// Its log holds all that is in it, which is the newest of several first pages.
		"one in use": "PRAGMA journal_mode = WAL;PRAGMA user_version = 1;" + ours +
			";INSERT INTO t VALUES (zeroblob(20000))",
		"one with large pages": "PRAGMA page_size = 65536;" + ours,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "new # 100%?", "market.db")
			if script != "" {
				must.Succeed(t, os.Mkdir(filepath.Dir(path), 0o755))
				conn := dbfiletest.Open(t, path, script)
				if name == "one in use" {
					defer closed(t, conn)
				} else {
					closed(t, conn)
				}
			}
			must.Succeed(t, must.Err(kind.Claim(path)))
			must.Equal(t, must.Get(os.Stat(path)).Mode().Perm(), 0o600)
		})
	}
}

func TestNewerDatabaseIsNotChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "market.db")
	closed(t, dbfiletest.Open(t, path, ours+";PRAGMA user_version = 3"))
	dbfiletest.Untouched(t, filepath.Dir(path), func() {
		must.Fail(t, must.Err(kind.Claim(path)), dbfile.ErrNewer)
	})
	// No version of this program writes such a number.
	closed(t, dbfiletest.Open(t, path, "PRAGMA user_version = -1"))
	refused(t, path, "a negative version")
}

// Two programs may be started in the same moment.
func TestProgramsThatOpenANewDatabaseAtOnceAllOpenIt(t *testing.T) {
	table := dbfile.Kind{AppID: 1, Migrations: []string{"CREATE TABLE a (b)"}}
	for range 12 {
		path := filepath.Join(t.TempDir(), "new.db")
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				conn, err := table.Open(t.Context(), path, 10*time.Second)
				if err == nil {
					err = conn.Close()
				}
				must.Hold(t, err == nil, err)
			})
		}
		all.Wait()
	}
}

// The files next to a database are read, and reading a pipe would block.
func TestALogOrJournalThatIsNoFileIsLeftAsItIs(t *testing.T) {
	for name, stranger := range dbfiletest.Strangers() {
		if stranger.Says != "not a file" && stranger.Says != "a directory" {
			continue
		}
		for _, beside := range []string{"-wal", "-journal"} {
			dir := t.TempDir()
			path := filepath.Join(dir, "market.db")
			closed(t, dbfiletest.Open(t, path, "VACUUM"))
			stranger.Make(t, path+beside)
			dbfiletest.Untouched(t, dir, func() {
				var foreign *dbfile.ForeignError
				_, err := kind.Claim(path)
				must.Hold(t, errors.As(err, &foreign) && foreign.Path == path+beside, name, err)
			})
		}
	}
}

// A stricter mode set by the owner stays.
func TestOnlyTheModeOfOthersIsTakenAway(t *testing.T) {
	path := filepath.Join(t.TempDir(), "market.db")
	closed(t, dbfiletest.Open(t, path, ours))
	for before, want := range map[os.FileMode]os.FileMode{0o644: 0o600, 0o440: 0o400, 0o600: 0o600, 0o666: 0o600} {
		must.Succeed(t, os.Chmod(path, before))
		must.Get(kind.Claim(path))
		must.Equal(t, must.Get(os.Stat(path)).Mode().Perm(), want, before)
	}
}

func TestAFileIsLockedUntilItsConnectionIsClosed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "market.db-lock")
	for range 2 {
		conn := must.Get(dbfile.Lock(path, sqlite.OpenReadWrite|sqlite.OpenCreate))
		_, err := dbfile.Lock(path, sqlite.OpenReadWrite)
		must.Hold(t, sqlite.ErrCode(err).ToPrimary() == sqlite.ResultBusy, "a second lock", err)
		closed(t, conn)
		must.Equal(t, must.Get(os.Stat(path)).Size(), 0)
	}
}

func TestANewDatabaseHasAllTablesOrNone(t *testing.T) {
	steps := []string{"CREATE TABLE a (b)", "ALTER TABLE a ADD c; CREATE TABLE d (e)"}
	for name, test := range map[string]struct {
		steps           []string
		version, tables string
	}{
		"all":                   {steps, "2", "2"},
		"none if a step failed": {append(steps, "no statement"), "0", "0"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "new.db")
			conn, err := dbfile.Kind{AppID: 1, Migrations: test.steps}.Open(t.Context(), path, time.Second)
			must.Need(t, (err != nil) == (test.tables == "0"), err)
			if conn != nil {
				must.Succeed(t, conn.Close())
			}
			conn = dbfiletest.Open(t, path, "PRAGMA user_version")
			for query, want := range map[string]string{"PRAGMA user_version": test.version,
				"SELECT count(*) FROM sqlite_schema": test.tables} {
				must.Equal(t, must.Get(sqlitex.ResultText(must.Get(conn.Prepare(query)))), want, query)
			}
			must.Succeed(t, conn.Close())
		})
	}
}
