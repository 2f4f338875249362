package sqlite

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"zombiezen.com/go/sqlite"

	"tonne/api/marketplace/exchange"
	"tonne/model/file/dbfile/dbfiletest"
	must "tonne/model/musttest"
)

func open(t *testing.T, path string) *Database {
	t.Helper()
	d := must.Get(Open(t.Context(), path, Options{}))
	t.Cleanup(func() { must.Succeed(t, d.Close()) })
	return d
}

func tempDatabase(t *testing.T) string { return filepath.Join(t.TempDir(), "market.db") }

func write(t *testing.T, d *Database, fn func(exchange.Tx) error) {
	t.Helper()
	must.Succeed(t, d.Write(t.Context(), fn))
}

// text reads one text of the database.
func text(t *testing.T, d *Database, sql string) (s string) {
	t.Helper()
	must.Succeed(t, d.Read(t.Context(), func(tx exchange.Tx) error {
		tx.Query(sql, func(row exchange.Row) { s = row.Text(0) })
		return nil
	}))
	return s
}

func TestDatabaseFilesArePrivate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "market.db")
	d := open(t, path)
	write(t, d, tenant("a"))
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(name)
		must.Hold(t, err == nil && info.Mode().Perm() == 0o600, name, info, err)
	}
}

func TestDatabaseSettings(t *testing.T) {
	t.Parallel()
	d := open(t, tempDatabase(t))
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1",
		"integrity_check": "ok"} {
		write(t, d, func(tx exchange.Tx) error {
			tx.Query("SELECT * FROM pragma_"+pragma, func(row exchange.Row) {
				must.Equal(t, row.Text(0), want, pragma)
			})
			return nil
		})
	}
	const loose = "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT strict AND name NOT LIKE 'sqlite_%'"
	must.Equal(t, text(t, d, loose), "0")
}

// Package dbfile tests what is not ours.
func TestForeignFilesAreRefused(t *testing.T) {
	t.Parallel()
	strangers := dbfiletest.Strangers()
	for _, name := range []string{"a long text file", "a database with another id"} {
		dir := t.TempDir()
		path := filepath.Join(dir, "market.db")
		strangers[name].Make(t, path)
		dbfiletest.Untouched(t, dir, func() {
			must.Hold(t, must.Err(Open(t.Context(), path, Options{})) != nil, name)
		})
	}
}

// Others who opened a database after its log lost its name wrote a log of their
// own, and may have moved that into the database.
func TestCloseDoesNotChangeForeignLog(t *testing.T) {
	t.Parallel()
	path := tempDatabase(t)
	d := must.Get(Open(t.Context(), path, Options{}))
	must.Succeed(t, os.Remove(path+"-wal"), os.Remove(path+"-shm"), os.WriteFile(path+"-wal", []byte("theirs"), 0o600))
	dbfiletest.Untouched(t, filepath.Dir(path), func() { must.Succeed(t, d.Close()) })
}

// A database that could not be made leaves nothing: neither the file, nor what SQLite adds to it,
// nor the directories of its path. One that was there is kept.
func TestFailedCreationLeavesNoFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	there := filepath.Join(dir, "there.db")
	must.Succeed(t, os.WriteFile(there, nil, 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, path := range []string{there, filepath.Join(dir, "new", "er", "market.db")} {
		must.Hold(t, must.Err(Open(ctx, path, Options{})) != nil, "opened", path)
	}
	left := must.Get(os.ReadDir(dir))
	must.Hold(t, len(left) == 1 && left[0].Name() == "there.db", "left behind", left)
}

// planned counts what SQLite looks up while it plans statements of the writer.
func planned(t *testing.T, d *Database) *int {
	t.Helper()
	conn := must.Get(d.writer.Take(t.Context()))
	defer d.writer.Put(conn)
	count := new(int)
	must.Succeed(t, conn.SetAuthorizer(sqlite.AuthorizeFunc(func(sqlite.Action) sqlite.AuthResult {
		*count++
		return sqlite.AuthResultOK
	})))
	return count
}

func TestStatementIsPreparedOnce(t *testing.T) {
	t.Parallel()
	d := open(t, "")
	count, first := planned(t, d), 0
	for n := range 3 {
		write(t, d, func(tx exchange.Tx) error {
			tx.Query(`SELECT r.id FROM external_ids e JOIN retirement_requests r ON r.number = e.request
				WHERE e.tenant = $1 AND e.external_id = $2`, func(exchange.Row) {}, 10+n, "call")
			return nil
		})
		if n == 0 {
			first = *count
		}
		must.Equal(t, *count, first, "what is looked up to plan a statement, after its use", n+1)
	}
	must.Hold(t, first != 0, "nothing was planned: the test does not see it")
}

func TestStatementWithoutItsValueIsRefused(t *testing.T) {
	t.Parallel()
	d := open(t, "")
	err := d.Write(t.Context(), func(tx exchange.Tx) error {
		const byID = "SELECT number FROM projects WHERE id = $1"
		tx.Do(byID, "P1")
		// It would find what was asked for before.
		tx.Do(byID)
		return nil
	})
	must.Hold(t, err != nil, "a statement without its value was carried out")
}
