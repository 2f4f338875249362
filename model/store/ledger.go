package store

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model/retirement"
)

// LedgerEntry is what is remembered of a retirement request.
type LedgerEntry struct {
	ID string
	// Label is what the user calls it.
	Label string
	// FirstSeen is when it was entered, LastSeen when it was looked up, zero for never.
	FirstSeen, LastSeen time.Time
	// Answer is the last good answer, nil for none, and Status its status.
	Answer     *retirement.Request
	AnsweredAt time.Time
	Status     retirement.Status
	// Looked is the status when the user last looked, or that of the first answer.
	Looked retirement.Status
	// Error says why the last look-up failed; empty after a good one.
	Error       string
	Certificate retirement.Certificate
}

// LookUp is the outcome of looking a request up: an answer or an error.
type LookUp struct {
	ID     string
	At     time.Time
	Answer *retirement.Request
	Error  string
}

// Ledger returns the entries of a service as they were entered.
func (s *Store) Ledger(ctx context.Context, origin string) ([]LedgerEntry, error) {
	return list(ctx, s, `SELECT retirement.id, label, first_seen, looked_at, answer, answered_at, status, error,
		certificate_path, certificate_type, certificate_size, certificate_sha256, certificate_at,
		(SELECT l.status FROM retirement_looked l WHERE l.origin = retirement.origin AND l.id = retirement.id)
		FROM retirement JOIN origin ON origin.id = origin WHERE url = ? ORDER BY first_seen, retirement.rowid`,
		func(stmt *sqlite.Stmt) (LedgerEntry, bool) {
			e := LedgerEntry{
				ID: stmt.ColumnText(0), Label: stmt.ColumnText(1),
				FirstSeen: columnTime(stmt, 2), LastSeen: columnTime(stmt, 3), AnsweredAt: columnTime(stmt, 5),
				Status: retirement.Status(stmt.ColumnText(6)), Error: stmt.ColumnText(7),
				Looked: retirement.Status(stmt.ColumnText(13)),
				Certificate: retirement.Certificate{
					Path: stmt.ColumnText(8), MediaType: stmt.ColumnText(9), Size: stmt.ColumnInt64(10), SHA256: stmt.ColumnText(11), FetchedAt: columnTime(stmt, 12),
				},
			}
			if answer, ok := columnJSON[retirement.Request](stmt, 4); ok {
				e.Answer = &answer
			}
			return e, true
		}, origin)
}

// ErrFull is returned for requests that would be more than the store may hold.
var ErrFull = errors.New("the ledger is full")

// Remember enters requests in the ledger, all or none. Known ones stay as they are.
func (s *Store) Remember(ctx context.Context, origin string, at time.Time, ids ...string) error {
	return s.writeTo(ctx, origin, func(conn *sqlite.Conn, service int64) error {
		entered := 0
		err := all(ids, func(id string) error {
			err := run(conn, `INSERT OR IGNORE INTO retirement (origin, id, first_seen) VALUES (?, ?, ?)`, service, id, millis(at))
			entered += conn.Changes()
			return err
		})
		if err != nil || s.most == 0 || entered == 0 {
			return err
		}
		n, err := number(conn, `SELECT count(*) FROM retirement`)
		if err == nil && n > int64(s.most) {
			return ErrFull
		}
		return err
	})
}

// KeepReferences keeps the references of requests in the ledger, by id.
func (s *Store) KeepReferences(ctx context.Context, origin string, references map[string][]string) error {
	return s.writeTo(ctx, origin, func(conn *sqlite.Conn, service int64) error {
		for id, texts := range references {
			err := all(texts, func(text string) error {
				return run(conn, `INSERT OR IGNORE INTO retirement_reference (origin, id, reference)
					SELECT origin, id, ?3 FROM retirement WHERE origin = ?1 AND id = ?2 AND ?3 <> ''`, service, id, text)
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// WithReference returns the ids of the requests with a reference or label.
func (s *Store) WithReference(ctx context.Context, origin, reference string) ([]string, error) {
	return list(ctx, s, `SELECT r.id FROM retirement r JOIN origin ON origin.id = r.origin
		WHERE url = ?1 AND (label = ?2 OR EXISTS (SELECT 1 FROM retirement_reference f WHERE f.origin = r.origin AND f.id = r.id AND f.reference = ?2))
		ORDER BY first_seen, r.rowid`, func(stmt *sqlite.Stmt) (string, bool) { return stmt.ColumnText(0), true }, origin, reference)
}

// RememberJournaled enters requests of the journal, except those that Remove took out, and
// reports whether one is new.
func (s *Store) RememberJournaled(ctx context.Context, origin string, at time.Time, ids ...string) (entered bool, err error) {
	err = s.writeTo(ctx, origin, func(conn *sqlite.Conn, service int64) error {
		entered = false
		return all(ids, func(id string) error {
			err := run(conn, `INSERT OR IGNORE INTO retirement (origin, id, first_seen) SELECT ?1, ?2, ?3
				WHERE NOT EXISTS (SELECT 1 FROM retirement_removed WHERE origin = ?1 AND id = ?2)`, service, id, millis(at))
			entered = entered || conn.Changes() > 0
			return err
		})
	})
	return entered, err
}

// Record keeps the outcomes of look-ups, except of removed requests and those older than
// what is there. A failed one keeps the last good answer.
func (s *Store) Record(ctx context.Context, origin string, lookUps ...LookUp) error {
	return s.writeTo(ctx, origin, func(conn *sqlite.Conn, service int64) error {
		return all(lookUps, func(l LookUp) error { return record(conn, service, l) })
	})
}

func record(conn *sqlite.Conn, origin int64, l LookUp) error {
	at := millis(l.At)
	err := run(conn, `UPDATE retirement SET looked_at = ?3, error = ?4 WHERE origin = ?1 AND id = ?2 AND looked_at <= ?3`,
		origin, l.ID, at, l.Error)
	if err != nil || l.Answer == nil {
		return err
	}
	answer, err := json.Marshal(l.Answer)
	if err != nil {
		return err
	}
	err = run(conn, `UPDATE retirement SET answered_at = ?3, status = ?4, answer = ?5 WHERE origin = ?1 AND id = ?2 AND answered_at <= ?3`,
		origin, l.ID, at, string(l.Answer.Status), string(answer))
	if err != nil || conn.Changes() == 0 {
		return err
	}
	err = run(conn, `INSERT OR IGNORE INTO retirement_looked (origin, id, status) VALUES (?, ?, ?)`, origin, l.ID, string(l.Answer.Status))
	if err != nil {
		return err
	}
	return run(conn, `INSERT INTO retirement_state (origin, id, status, since) VALUES (?1, ?2, ?3, ?4)
		ON CONFLICT DO UPDATE SET status = excluded.status, since = excluded.since WHERE excluded.status <> status`,
		origin, l.ID, string(l.Answer.Status), at)
}

// Look keeps that the user looked at a request in a state, if that is not empty.
func (s *Store) Look(ctx context.Context, origin, id string, status retirement.Status) error {
	return s.change(ctx, `INSERT OR REPLACE INTO retirement_looked (origin, id, status)
		SELECT origin, retirement.id, ?3 FROM retirement JOIN origin ON origin.id = origin WHERE url = ?1 AND retirement.id = ?2 AND ?3 <> ''`,
		origin, id, string(status))
}

// SetLabel names a request; an empty label deletes the name. The latest counts.
func (s *Store) SetLabel(ctx context.Context, origin, id, label string, at time.Time) error {
	return s.change(ctx, `UPDATE retirement SET label = ?3, label_at = ?4
		WHERE origin = (SELECT id FROM origin WHERE url = ?1) AND id = ?2 AND label_at <= ?4`, origin, id, label, millis(at))
}

// SetCertificate keeps where a certificate was saved. The latest counts.
func (s *Store) SetCertificate(ctx context.Context, origin, id string, c retirement.Certificate) error {
	return s.change(ctx, `UPDATE retirement SET certificate_path = ?3, certificate_type = ?4, certificate_size = ?5,
		certificate_sha256 = ?6, certificate_at = ?7
		WHERE origin = (SELECT id FROM origin WHERE url = ?1) AND id = ?2 AND certificate_at <= ?7`,
		origin, id, c.Path, c.MediaType, c.Size, c.SHA256, millis(c.FetchedAt))
}

// Remove takes retirement requests out of the ledger.
func (s *Store) Remove(ctx context.Context, origin string, ids ...string) error {
	return s.write(ctx, func(conn *sqlite.Conn) error {
		return all(ids, func(id string) error {
			return errors.Join(
				run(conn, `INSERT OR IGNORE INTO retirement_removed (origin, id) SELECT id, ?2 FROM origin WHERE url = ?1`, origin, id),
				run(conn, `DELETE FROM retirement WHERE origin = (SELECT id FROM origin WHERE url = ?) AND id = ?`, origin, id),
			)
		})
	})
}

func (s *Store) change(ctx context.Context, query string, args ...any) error {
	return s.write(ctx, func(conn *sqlite.Conn) error { return run(conn, query, args...) })
}
