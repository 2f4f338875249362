package dbfile

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitemigration"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Steps returns the contents of the files that match the patterns. It panics if a pattern
// matches no file.
func Steps(files embed.FS, patterns ...string) (steps []string) {
	for _, pattern := range patterns {
		names, _ := fs.Glob(files, pattern)
		if len(names) == 0 {
			panic("dbfile: there is no file " + pattern)
		}
		for _, name := range names {
			// Reading an embedded file cannot fail.
			text, _ := files.ReadFile(name)
			steps = append(steps, string(text))
		}
	}
	return steps
}

// Open opens the database file at path: it calls Claim and Prepare.
func (k Kind) Open(ctx context.Context, path string, wait time.Duration) (*sqlite.Conn, error) {
	if _, err := k.Claim(path); err != nil {
		return nil, err
	}
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return nil, err
	}
	if err := k.Prepare(ctx, conn, wait); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// ErrOlder is returned by OpenRead for a file of an older version of this program.
var ErrOlder = errors.New("an older version of this program wrote it")

// OpenRead opens the database file at path, which must exist, for reading. It does not change the file: the error is
// ErrOlder if its tables need a migration.
func (k Kind) OpenRead(path string, wait time.Duration) (*sqlite.Conn, error) {
	if err := k.check(path); err != nil {
		return nil, err
	}
	conn, err := openReadOnly(path, false)
	if err != nil {
		return nil, err
	}
	conn.SetBusyTimeout(wait)
	var now head
	if err = now.read(conn, false); err == nil && now.schema < len(k.Migrations) {
		err = ErrOlder
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// Prepare migrates the database of a connection and turns on the write-ahead log. wait limits
// how long statements wait for other programs.
func (k Kind) Prepare(ctx context.Context, conn *sqlite.Conn, wait time.Duration) error {
	if err := Configure(conn, wait, Writing...); err != nil {
		return err
	}
	if _, err := k.Migrate(ctx, conn); err != nil {
		return err
	}
	// If this fails because another program is opening the new file, that program sets the
	// mode for both.
	err := Configure(conn, wait, "journal_mode = WAL")
	if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultBusy {
		return nil
	}
	return err
}

// Writing lists the pragmas of a connection that writes.
var Writing = []string{"foreign_keys = ON", "synchronous = FULL", "trusted_schema = OFF"}

// Configure sets pragmas and how long statements wait for other programs.
func Configure(conn *sqlite.Conn, wait time.Duration, pragmas ...string) error {
	conn.SetBusyTimeout(wait)
	for _, pragma := range pragmas {
		if err := sqlitex.ExecuteTransient(conn, "PRAGMA "+pragma, nil); err != nil {
			return fmt.Errorf("pragma %s: %w", pragma, err)
		}
	}
	return nil
}

// Migrate upgrades the tables of a database and reports whether it had none. The error is
// ErrNewer if a newer version has upgraded the database since Claim.
func (k Kind) Migrate(ctx context.Context, conn *sqlite.Conn) (made bool, err error) {
	var now head
	if err := now.read(conn, false); err != nil {
		return false, err
	}
	if made = now.schema == 0; made {
		if err := errors.Join(k.make(ctx, conn), now.read(conn, false)); err != nil {
			return made, err
		}
	}
	switch newest := len(k.Migrations); {
	case now.applicationID == int(k.AppID) && now.schema == newest:
		// The library's Migrate would write to the file even without a change.
		return made, nil
	case now.applicationID == int(k.AppID) && now.schema > newest:
		return false, ErrNewer
	}
	return made, sqlitemigration.Migrate(ctx, conn, sqlitemigration.Schema(k))
}

// make takes all steps of a new database in one transaction, because each transaction waits for
// the disk. If another process makes the database meanwhile, perhaps with fewer steps, make
// changes nothing.
func (k Kind) make(ctx context.Context, conn *sqlite.Conn) error {
	return sqlitemigration.Migrate(ctx, conn, sqlitemigration.Schema{
		AppID:               k.AppID,
		Migrations:          []string{strings.Join(k.Migrations, ";\n")},
		MigrationOptions:    k.MigrationOptions[:min(1, len(k.MigrationOptions))],
		RepeatableMigration: fmt.Sprintf("PRAGMA user_version = %d", len(k.Migrations)),
	})
}

// Lock locks the file at path with SQLite until the connection is closed or the process ends.
// It writes nothing to the file. The error is sqlite.ResultBusy if another process has locked
// it.
func Lock(path string, flags sqlite.OpenFlags) (*sqlite.Conn, error) {
	conn, err := sqlite.OpenConn(path, flags)
	if err != nil {
		return nil, err
	}
	conn.SetBusyTimeout(0)
	for _, statement := range []string{"PRAGMA journal_mode = OFF", "BEGIN EXCLUSIVE"} {
		if err := sqlitex.ExecuteTransient(conn, statement, nil); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
	}
	return conn, nil
}
