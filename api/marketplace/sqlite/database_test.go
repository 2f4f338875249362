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
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
}

func TestDatabaseSettings(t *testing.T) {
	t.Parallel()
	d := open(t, tempDatabase(t))
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "integrity_check": "ok"} {
		write(t, d, func(tx exchange.Tx) error {
			tx.Query("SELECT * FROM pragma_"+pragma, func(row exchange.Row) {
				if got := row.Text(0); got != want {
					t.Errorf("%s is %s, want %s", pragma, got, want)
				}
			})
			return nil
		})
	}
	const loose = "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT strict AND name NOT LIKE 'sqlite_%'"
	if n := text(t, d, loose); n != "0" {
		t.Errorf("%s tables are not STRICT", n)
	}
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
			if d, err := Open(t.Context(), path, Options{}); err == nil {
				t.Errorf("%s is opened, %v", name, d.Close())
			}
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
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A database that could not be made leaves nothing: neither the file, nor what
// SQLite adds to it, nor the directories of its path.
func TestFailedCreationLeavesNoFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if m, err := Open(canceled(t), filepath.Join(dir, "new", "er", "market.db"), Options{}); err == nil {
		t.Fatal("opened", m.Close())
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestExistingDatabaseIsKept(t *testing.T) {
	t.Parallel()
	path := tempDatabase(t)
	must.Succeed(t, os.WriteFile(path, nil, 0o600))
	if m, err := Open(canceled(t), path, Options{}); err == nil {
		t.Fatal("opened", m.Close())
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}
