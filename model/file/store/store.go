// Package store saves local data in a SQLite file: project details, prices, the watch list
// with rules and alerts, portfolio values, the ledger of retirement requests, the user's
// choices, and the last market and inventory. Several programs can use the file at once. The
// package does not call the service and does not contain the journal of retirements.
//
// All data belongs to an origin, the base URL of its service. Start reading at Store.Of.
package store

import (
	"context"
	"sync/atomic"

	"tonne/model/file/dbfile"

	"zombiezen.com/go/sqlite"
)

// Store is the local store. Its methods wait for the disk. If the file cannot be used, they
// continue in memory and Problem returns the cause. A nil Store saves nothing.
type Store struct {
	path string
	// turn is the lock of conn.
	turn    chan struct{}
	conn    *sqlite.Conn
	problem atomic.Pointer[error]
	lost    atomic.Pointer[error]
	// whenLost is called with the error of Lost; it may be nil.
	whenLost func(error)
	// most is the maximum number of retirement requests, 0 for no limit.
	most int
}

// Open returns a store in a file, which the first use creates, or in memory if path is empty.
func Open(path string) *Store {
	return &Store{path: path, turn: make(chan struct{}, 1)}
}

// Bound limits the total number of requests of all services. Call it before the first use.
func (s *Store) Bound(requests int) *Store {
	s.most = requests
	return s
}

// Problem returns an error if the store is only in memory because the file cannot be used.
// Before the first use it returns nil.
func (s *Store) Problem() error {
	if s == nil {
		return nil
	}
	return loaded(&s.problem)
}

// Lost returns an error if the file was empty, so that its data is lost. Before the first use
// it returns nil.
func (s *Store) Lost() error {
	if s == nil {
		return nil
	}
	return loaded(&s.lost)
}

func loaded(from *atomic.Pointer[error]) error {
	if err := from.Load(); err != nil {
		return *err
	}
	return nil
}

// WhenLost sets a function that receives the error of Lost. Call it before the first use.
func (s *Store) WhenLost(report func(error)) *Store {
	s.whenLost = report
	return s
}

// Close closes the file. The next use opens it again.
func (s *Store) Close() error {
	if s == nil {
		return nil
	}
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	if s.conn == nil {
		return nil
	}
	err := s.conn.Close()
	s.conn = nil
	return err
}

// Version returns a number that changes when another program changes the file. The error is a
// disk error.
func (s *Store) Version(ctx context.Context) (version int64, err error) {
	err = s.use(ctx, "BEGIN", func(conn *sqlite.Conn) error {
		return dbfile.Execute(conn, "PRAGMA data_version", func(stmt *sqlite.Stmt) { version = stmt.ColumnInt64(0) })
	})
	return version, err
}

// Origin is the data of one service, by subject.
type Origin struct {
	History     History
	Alerts      Alerts
	Ledger      Ledger
	Annotations Annotations
	Cache       Cache
}

// Of returns the data of the service with a base URL, or of one of its accounts.
func (s *Store) Of(origin string) Origin {
	p := part{s, origin}
	return Origin{History{p}, Alerts{p}, Ledger{p}, Annotations{p}, Cache{p}}
}

// part is the data of one service on one subject.
type part struct {
	store  *Store
	origin string
}

func (p part) read(ctx context.Context, fn func(*tx)) error {
	return p.store.use(ctx, "BEGIN", func(conn *sqlite.Conn) error { return p.do(conn, fn) })
}

// write adds the service if it is new.
func (p part) write(ctx context.Context, fn func(*tx)) error {
	return p.store.use(ctx, "BEGIN IMMEDIATE", func(conn *sqlite.Conn) error {
		if err := dbfile.Execute(conn, "INSERT OR IGNORE INTO origin (url) VALUES (?)", nil, p.origin); err != nil {
			return err
		}
		return p.do(conn, fn)
	})
}

func (p part) do(conn *sqlite.Conn, fn func(*tx)) error {
	t := &tx{conn: conn}
	t.err = dbfile.Execute(conn, "SELECT id FROM origin WHERE url = ?",
		func(stmt *sqlite.Stmt) { t.service = stmt.ColumnInt64(0) }, p.origin)
	fn(t)
	return t.err
}

// change is a write of one statement.
func (p part) change(ctx context.Context, query string, args ...any) error {
	return p.write(ctx, func(t *tx) { t.run(query, args...) })
}

func (s *Store) use(ctx context.Context, begin string, fn func(*sqlite.Conn) error) error {
	if s == nil {
		return nil
	}
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.conn == nil {
		if err := s.open(ctx); err != nil {
			return err
		}
	}
	err := dbfile.Transact(ctx, s.conn, begin, fn)
	if unusable(err) && s.Problem() == nil && s.path != "" {
		if err := s.continueInMemory(err); err != nil {
			return err
		}
		err = dbfile.Transact(ctx, s.conn, begin, fn)
	}
	if ctx.Err() != nil && sqlite.ErrCode(err) == sqlite.ResultInterrupt {
		return ctx.Err()
	}
	return err
}
