package store

import (
	"context"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
	"tonne/model/alert"
)

// Fired is a rule that began to hold on a vintage or, if it is not empty, a Request.
type Fired struct {
	// ID grows with each entry of the history.
	ID int64
	At time.Time
	// Since is when a rule on a vintage was checked before, if that is so long ago that it
	// may have begun to hold at any time since; or when a request was first seen in a
	// state that has to last; else zero.
	Since time.Time
	// Already says that the rule held when it was first checked.
	Already bool
	// Seen says that a person has seen it, by SetSeen.
	Seen bool

	Vintage model.VintageKey
	Request string
	Rule    alert.Rule
	// Facts are those of the check, Was those of the one before, as far as they are known.
	Facts, Was alert.Facts
}

const remembered = 1000

func (f *Fired) keep(conn *sqlite.Conn, service int64) error {
	err := run(conn, `INSERT INTO fired (origin, at, already, rule, project_id, vintage_id, best_ask, last_paid, available,
		was_best_ask, was_last_paid, was_available, request_id, status, was_status) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		service, millis(f.At), f.Already, f.Rule.String(), f.Vintage.ProjectID, f.Vintage.VintageID,
		nullPrice(f.Facts.BestAsk), nullPrice(f.Facts.LastPaid), nullGrams(f.Facts.Available),
		nullPrice(f.Was.BestAsk), nullPrice(f.Was.LastPaid), nullGrams(f.Was.Available), f.Request, string(f.Facts.Status), string(f.Was.Status))
	if err != nil {
		return err
	}
	f.ID = conn.LastInsertRowID()
	if !f.Since.IsZero() {
		if err := run(conn, `INSERT INTO fired_since (fired, since) VALUES (?, ?)`, f.ID, millis(f.Since)); err != nil {
			return err
		}
	}
	return run(conn, `DELETE FROM fired WHERE origin = ?1 AND id <= (SELECT id FROM fired WHERE origin = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`,
		service, remembered)
}

// History returns what fired of a service after an entry, the newest first, at most 1,000.
func (s *Store) History(ctx context.Context, origin string, after int64) ([]Fired, error) {
	return list(ctx, s, `SELECT fired.id, at, already, seen, project_id, vintage_id, request_id, rule, best_ask, last_paid, available, status,
		was_best_ask, was_last_paid, was_available, was_status, since
		FROM fired JOIN origin ON origin.id = origin LEFT JOIN fired_since ON fired = fired.id WHERE url = ? AND fired.id > ? ORDER BY fired.id DESC`, columnFired, origin, after)
}

func columnFired(stmt *sqlite.Stmt) (f Fired, ok bool) {
	a, ok := columnAlert(stmt, 4)
	return Fired{
		ID: stmt.ColumnInt64(0), At: columnTime(stmt, 1), Already: stmt.ColumnBool(2), Seen: stmt.ColumnBool(3),
		Vintage: a.Vintage, Request: a.Request, Rule: a.Rule, Facts: columnFacts(stmt, 8), Was: columnFacts(stmt, 12), Since: columnTime(stmt, 16),
	}, ok
}

// SetSeen marks the history up to an entry as seen, or only its requests.
func (s *Store) SetSeen(ctx context.Context, origin string, id int64, requestsAlone bool) error {
	return s.change(ctx, `UPDATE fired SET seen = 1 WHERE origin = (SELECT id FROM origin WHERE url = ?) AND id <= ? AND seen = 0
		AND (request_id <> '' OR NOT ?)`, origin, id, requestsAlone)
}
