// Package store is what this machine remembers between two runs: project
// details, price observations, the watch list with its rules and what fired,
// what the book was worth, the ledger of retirement requests, and how a person
// likes to see all that, and the last market and inventory. It is one SQLite file, which several programs may use
// at once.
//
// Everything belongs to an origin, the base URL of the service it came from.
package store

import (
	"context"
	"sync/atomic"

	"zombiezen.com/go/sqlite"
)

// Store remembers. Its methods wait for the disk. If the file cannot be used, they
// continue in memory and Problem says why. A nil Store remembers nothing.
type Store struct {
	path string
	// turn is held by whoever uses conn.
	turn    chan struct{}
	conn    *sqlite.Conn
	problem atomic.Pointer[error]
	lost    atomic.Pointer[error]
	// whenLost gets what Lost returns; it may be nil.
	whenLost func(error)
	// most is how many retirement requests there may be; 0 for any number.
	most int
}

// Open returns a store in a file, which is made on first use, or in memory without a path.
func Open(path string) *Store {
	return &Store{path: path, turn: make(chan struct{}, 1)}
}

// Bound limits the requests of all services together. Call it before the first use.
func (s *Store) Bound(requests int) *Store {
	s.most = requests
	return s
}

// Problem returns why nothing outlives this run, nil before the first use.
func (s *Store) Problem() error {
	if s == nil {
		return nil
	}
	return loaded(&s.problem)
}

// Lost returns that the file had lost its content, nil before the first use.
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

// WhenLost has tell called with what Lost returns. Call it before the first use.
func (s *Store) WhenLost(tell func(error)) *Store {
	s.whenLost = tell
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

// Version changes when another program changes the file. The error is one of the disk.
func (s *Store) Version(ctx context.Context) (version int64, err error) {
	err = s.read(ctx, func(conn *sqlite.Conn) (err error) {
		version, err = number(conn, "PRAGMA data_version")
		return err
	})
	return version, err
}

// Origin is what the store has of one service, by subject.
type Origin struct {
	History     History
	Alerts      Alerts
	Ledger      Ledger
	Annotations Annotations
	Cache       Cache
}

// Of returns what the store has of the service with a base URL, or of one of its accounts.
func (s *Store) Of(origin string) Origin {
	p := part{s, origin}
	return Origin{History{p}, Alerts{p}, Ledger{p}, Annotations{p}, Cache{p}}
}

// part is what the store has of one service on one subject.
type part struct {
	store  *Store
	origin string
}

func (p part) write(ctx context.Context, fn func(conn *sqlite.Conn, service int64) error) error {
	return p.store.use(ctx, "BEGIN IMMEDIATE", func(conn *sqlite.Conn) error {
		if err := run(conn, "INSERT OR IGNORE INTO origin (url) VALUES (?)", p.origin); err != nil {
			return err
		}
		service, err := number(conn, "SELECT id FROM origin WHERE url = ?", p.origin)
		if err != nil {
			return err
		}
		return fn(conn, service)
	})
}

// change runs a statement whose first parameter is the service.
func (p part) change(ctx context.Context, query string, args ...any) error {
	return p.write(ctx, func(conn *sqlite.Conn, service int64) error {
		return run(conn, query, append([]any{service}, args...)...)
	})
}

func (s *Store) read(ctx context.Context, fn func(*sqlite.Conn) error) error {
	return s.use(ctx, "BEGIN", fn)
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
	err := transact(ctx, s.conn, begin, fn)
	if unusable(err) && s.Problem() == nil && s.path != "" {
		if err := s.goOnInMemory(err); err != nil {
			return err
		}
		err = transact(ctx, s.conn, begin, fn)
	}
	if ctx.Err() != nil && sqlite.ErrCode(err) == sqlite.ResultInterrupt {
		return ctx.Err()
	}
	return err
}

func transact(ctx context.Context, conn *sqlite.Conn, begin string, fn func(*sqlite.Conn) error) error {
	conn.SetInterrupt(ctx.Done())
	defer conn.SetInterrupt(nil)
	if err := run(conn, begin); err != nil {
		return err
	}
	err := fn(conn)
	if err == nil {
		err = run(conn, "COMMIT")
	}
	// An interrupt or a full disk may have rolled back already.
	if err != nil && !conn.AutocommitEnabled() {
		conn.SetInterrupt(nil)
		_ = run(conn, "ROLLBACK")
	}
	return err
}
