package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"tonne/api/marketplace/exchange"
	"tonne/model/dbfile/dbfiletest"
	must "tonne/model/musttest"
)

func open(t *testing.T, path string) *Database {
	t.Helper()
	d := must.Get(Open(t.Context(), path, Options{}))
	t.Cleanup(func() { must.Succeed(t, d.Close()) })
	return d
}

func tempDatabase(t *testing.T) string { return filepath.Join(t.TempDir(), "market.db") }

func canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func write(t *testing.T, d *Database, fn func(exchange.Tx) error) {
	t.Helper()
	must.Succeed(t, d.Write(t.Context(), fn))
}

// text reads one text of the database.
func text(t *testing.T, d *Database, sql string) (s string) {
	t.Helper()
	must.Succeed(t, d.Read(t.Context(), func(tx exchange.Tx) error {
		tx.Query(sql, func(row exchange.Row) {
			s = row.Text(0)
		})
		return nil
	}))
	return s
}

func TestDatabaseFilesArePrivate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "market.db")
	d := open(t, path)
	write(t, d, func(tx exchange.Tx) error {
		tx.Exec("UPDATE market_state SET version = 2")
		return nil
	})
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(name)
		must.Hold(t, err == nil && info.Mode().Perm() == 0o600, name, info, err)
	}
}

func TestDatabaseSettings(t *testing.T) {
	t.Parallel()
	d := open(t, tempDatabase(t))
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "integrity_check": "ok"} {
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
			d, err := Open(t.Context(), path, Options{})
			must.Hold(t, err != nil, name, d)
		})
	}
}

// Others who opened a database after its log lost its name wrote a log of their
// own, and may have moved that into the database.
func TestCloseDoesNotChangeForeignLog(t *testing.T) {
	t.Parallel()
	path := tempDatabase(t)
	d := must.Get(Open(t.Context(), path, Options{}))
	must.Succeed(t, errors.Join(os.Remove(path+"-wal"), os.Remove(path+"-shm"), os.WriteFile(path+"-wal", []byte("theirs"), 0o600)))
	dbfiletest.Untouched(t, filepath.Dir(path), func() {
		must.Fail(t, d.Close(), nil)
	})
}

// A database that could not be made leaves nothing: neither the file, nor what
// SQLite adds to it, nor the directories of its path.
func TestFailedCreationLeavesNoFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m, err := Open(canceled(t), filepath.Join(dir, "new", "er", "market.db"), Options{})
	must.Need(t, err != nil, "opened", m)
	left, err := os.ReadDir(dir)
	must.Hold(t, err == nil && len(left) == 0, "left behind", left, err)
}

func TestExistingDatabaseIsKept(t *testing.T) {
	t.Parallel()
	path := tempDatabase(t)
	must.Succeed(t, os.WriteFile(path, nil, 0o600))
	m, err := Open(canceled(t), path, Options{})
	must.Need(t, err != nil, "opened", m)
	_, err = os.Stat(path)
	must.Fail(t, err, nil)
}
