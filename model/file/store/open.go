package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/model/file/dbfile"
)

const busyTimeout = 5 * time.Second

const applicationID = 0x746f6e31

//go:embed schema/*.sql
var schemaFiles embed.FS

// movedRules moves the rules of old tables to the present one.
const movedRules = "schema/0011_rules_moved.sql"

// kind contains the migrations. Never change a released one.
var kind = sync.OnceValue(func() dbfile.Kind {
	return dbfile.Kind{AppID: applicationID, Migrations: dbfile.Steps(schemaFiles, "schema/*.sql")}
})

func (s *Store) open(ctx context.Context) error {
	if s.path == "" || s.Problem() != nil {
		return s.openMemory()
	}
	emptied := dbfile.Emptied(s.path)
	conn, err := kind().Open(ctx, s.path, busyTimeout)
	if err == nil {
		s.conn = conn
		if emptied {
			lost := fmt.Errorf("the local store was empty: its ledger, labels, rules and prices are lost (%s)", s.path)
			s.lost.Store(&lost)
			if s.whenLost != nil {
				s.whenLost(lost)
			}
		}
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return s.continueInMemory(err)
}

func (s *Store) openMemory() error {
	conn, err := sqlite.OpenConn(":memory:", sqlite.OpenReadWrite|sqlite.OpenCreate|sqlite.OpenURI)
	if err != nil {
		return err
	}
	if err := kind().Prepare(context.Background(), conn, busyTimeout); err != nil {
		return errors.Join(err, conn.Close())
	}
	s.conn = conn
	return nil
}

func unusable(err error) bool {
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultCorrupt, sqlite.ResultNotADB, sqlite.ResultFull, sqlite.ResultReadOnly,
		sqlite.ResultIOErr, sqlite.ResultCantOpen, sqlite.ResultPerm:
		return true
	}
	return false
}

func (s *Store) continueInMemory(cause error) error {
	problem := describe(s.path, cause)
	s.problem.Store(&problem)
	if s.conn != nil {
		// The cause is already known, so the error of Close does not matter.
		_ = s.conn.Close()
		s.conn = nil
	}
	if err := s.openMemory(); err != nil {
		return err
	}
	var foreign *dbfile.ForeignError
	if !errors.Is(cause, dbfile.ErrNewer) && !errors.As(cause, &foreign) {
		s.salvage()
	}
	return nil
}

const moveAway = "move it away"

func describe(path string, cause error) error {
	if foreign, ok := errors.AsType[*dbfile.ForeignError](cause); ok {
		return &problem{path, foreign.Why, moveAway, cause}
	}
	var refused *os.PathError
	if errors.As(cause, &refused) {
		cause = refused.Err
	}
	why, remedy := "it is damaged or belongs to another program", moveAway
	switch code := sqlite.ErrCode(cause).ToPrimary(); {
	case errors.Is(cause, dbfile.ErrNewer):
		why, remedy = "it was written by a newer version", "update this program"
	case code == sqlite.ResultBusy:
		why, remedy = "another program has locked it", "close that program"
	case code == sqlite.ResultFull:
		why, remedy = "the disk is full", "free disk space"
	case code == sqlite.ResultReadOnly, code == sqlite.ResultPerm, code == sqlite.ResultCantOpen,
		code == sqlite.ResultIOErr, refused != nil:
		why, remedy = "it cannot be written", "check its path and permissions"
	}
	return &problem{path, fmt.Sprintf("%s (%v)", why, cause), remedy, cause}
}

type problem struct {
	path, why, remedy string
	cause             error
}

func (p *problem) Error() string {
	return fmt.Sprintf("nothing is saved because %s cannot be used: %s; %s and start again", p.path, p.why, p.remedy)
}

func (p *problem) Unwrap() error { return p.cause }

func (s *Store) salvage() {
	for _, mode := range []string{"mode=ro", "mode=ro&immutable=1"} {
		uri := (&url.URL{Scheme: "file", Path: s.path, RawQuery: mode}).String()
		if dbfile.Execute(s.conn, "ATTACH ? AS file", nil, uri) != nil {
			continue
		}
		// In the order of creation, a table follows those that it references.
		var tables []string
		_ = dbfile.Execute(s.conn,
			"SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
			func(stmt *sqlite.Stmt) { tables = append(tables, stmt.ColumnText(0)) })
		for _, table := range tables {
			// Skip tables that cannot be read.
			_ = dbfile.Execute(s.conn, "INSERT OR IGNORE INTO main."+table+" SELECT * FROM file."+table, nil)
		}
		_ = dbfile.Execute(s.conn, "DETACH file", nil)
		_ = sqlitex.ExecuteScriptFS(s.conn, schemaFiles, movedRules, nil)
	}
}
