package store

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"zombiezen.com/go/sqlite"

	"tonne/model/fold"
	"tonne/model/retirement"
)

// Ledger contains the retirement requests of one service.
type Ledger struct{ part }

// LedgerEntry is a retirement request in the ledger.
type LedgerEntry struct {
	ID string
	// Label is the user's name for the request.
	Label string
	// FirstSeen is the time when the request was entered, LastSeen the time of the last
	// look-up, zero if there was none.
	FirstSeen, LastSeen time.Time
	// Answer is the last successful response, nil if there is none; Status is its status.
	Answer     *retirement.Request
	AnsweredAt time.Time
	Status     retirement.Status
	// Looked is the status that the user saw last, or the status of the first response.
	Looked retirement.Status
	// Error is the error of the last look-up, empty if it succeeded.
	Error       string
	Certificate retirement.Certificate
}

// LookUp is the result of looking up a request: a response or an error.
type LookUp struct {
	ID     string
	At     time.Time
	Answer *retirement.Request
	Error  string
}

// Entries returns the requests in the order in which they were entered.
func (l Ledger) Entries(ctx context.Context) ([]LedgerEntry, error) {
	// The order of the file is faster than that of the index.
	return l.entries(ctx, "NOT INDEXED WHERE origin = ?1")
}

// EntriesOf returns the requests with the ids that are in the ledger, in the order of Entries.
func (l Ledger) EntriesOf(ctx context.Context, ids []string) ([]LedgerEntry, error) {
	list, err := json.Marshal(ids, json.FormatNilSliceAsNull(true))
	if err != nil {
		return nil, err
	}
	return l.entries(ctx, "WHERE origin = ?1 AND id IN (SELECT value FROM json_each(?2))", string(list))
}

// Named is the id of a request with its label, or of a project or vintage with its name.
type Named struct{ ID, Label string }

// Latest returns at most n requests whose ids begin with a prefix, the latest entered first. It
// does not read their answers.
func (l Ledger) Latest(ctx context.Context, prefix string, n int) ([]Named, error) {
	const begin = ` WHERE origin = ?1 AND id >= ?2 AND id < ?2 || char(0x10ffff) `
	// The index finds a few fast. The latest of many are at the end of the file.
	few, err := list(ctx, l.part, `SELECT id, label FROM retirement
		WHERE rowid IN (SELECT rowid FROM retirement`+begin+`LIMIT ?3) ORDER BY rowid DESC`, readNamed, prefix, n+1)
	if err != nil || len(few) <= n {
		return few, err
	}
	return list(ctx, l.part, `SELECT id, label FROM retirement NOT INDEXED`+begin+`ORDER BY rowid DESC LIMIT ?3`,
		readNamed, prefix, n)
}

func readNamed(stmt *sqlite.Stmt) (Named, bool) {
	return Named{stmt.ColumnText(0), stmt.ColumnText(1)}, true
}

func (l Ledger) entries(ctx context.Context, which string, args ...any) ([]LedgerEntry, error) {
	entries, err := list(ctx, l.part, `SELECT id, label, first_seen, looked_at, answer, answered_at, status, error,
		certificate_path, certificate_type, certificate_size, certificate_sha256, certificate_at,
		(SELECT l.status FROM retirement_looked l WHERE l.origin = r.origin AND l.id = r.id)
		FROM retirement r `+which+` ORDER BY rowid`,
		func(stmt *sqlite.Stmt) (LedgerEntry, bool) {
			e := LedgerEntry{
				ID: stmt.ColumnText(0), Label: stmt.ColumnText(1),
				FirstSeen: columnTime(stmt, 2), LastSeen: columnTime(stmt, 3), AnsweredAt: columnTime(stmt, 5),
				Status: retirement.Status(stmt.ColumnText(6)), Error: stmt.ColumnText(7),
				Looked: retirement.Status(stmt.ColumnText(13)),
				Certificate: retirement.Certificate{
					Path: stmt.ColumnText(8), MediaType: stmt.ColumnText(9), Size: stmt.ColumnInt64(10), SHA256: stmt.ColumnText(11),
					FetchedAt: columnTime(stmt, 12),
				},
			}
			if answer, ok := columnJSON[retirement.Request](stmt, 4); ok {
				e.Answer = &answer
			}
			return e, true
		}, args...)
	// SQLite would sort the whole rows.
	slices.SortStableFunc(entries, func(a, b LedgerEntry) int { return a.FirstSeen.Compare(b.FirstSeen) })
	return entries, err
}

// ErrFull is returned for requests that exceed the limit of Bound.
var ErrFull = errors.New("the ledger is full")

// Remember enters requests in the ledger, all or none. It does not change existing entries.
func (l Ledger) Remember(ctx context.Context, at time.Time, ids ...string) error {
	return l.write(ctx, func(t *tx) {
		entered := 0
		for _, id := range ids {
			entered += t.run(`INSERT OR IGNORE INTO retirement (origin, id, first_seen) VALUES (?, ?, ?)`, id, millis(at))
		}
		// The limit is on the requests of all services.
		if l.store.most > 0 && entered > 0 &&
			t.number(`SELECT count(*) FROM retirement WHERE ?1 NOTNULL`) > int64(l.store.most) {
			t.err = cmp.Or(t.err, ErrFull)
		}
	})
}

// KeepReferences saves the references of requests in the ledger, by id.
func (l Ledger) KeepReferences(ctx context.Context, references map[string][]string) error {
	return l.write(ctx, func(t *tx) {
		for id, texts := range references {
			for _, text := range texts {
				t.run(`INSERT OR IGNORE INTO retirement_reference (origin, id, reference)
					SELECT origin, id, ?3 FROM retirement WHERE origin = ?1 AND id = ?2 AND ?3 <> ''`, id, text)
			}
		}
	})
}

// WithReference returns the ids of the requests with a reference or label that has the same identity.
func (l Ledger) WithReference(ctx context.Context, reference string) ([]string, error) {
	identity := fold.Identity(reference)
	ids, err := list(ctx, l.part, `SELECT id, text FROM (
			SELECT id, label AS text, first_seen, rowid AS number FROM retirement WHERE origin = ?1 AND label <> ''
			UNION ALL SELECT r.id, f.reference, r.first_seen, r.rowid FROM retirement_reference f
				JOIN retirement r ON r.origin = f.origin AND r.id = f.id WHERE f.origin = ?1)
		ORDER BY first_seen, number`, func(stmt *sqlite.Stmt) (string, bool) {
		return stmt.ColumnText(0), fold.Identity(stmt.ColumnText(1)) == identity
	})
	return slices.Compact(ids), err
}

// RememberJournaled enters requests of the journal, except removed ones, and reports whether
// any of them is new.
func (l Ledger) RememberJournaled(ctx context.Context, at time.Time, ids ...string) (entered bool, err error) {
	const missing = ` FROM json_each(?2) WHERE NOT EXISTS (SELECT 1 FROM retirement WHERE origin = ?1 AND id = value)
		AND NOT EXISTS (SELECT 1 FROM retirement_removed WHERE origin = ?1 AND id = value)`
	var n int64
	err = l.read(ctx, func(t *tx) { n = t.number(`SELECT count(*)`+missing, t.json(ids)) })
	if err == nil && n > 0 {
		err = l.write(ctx, func(t *tx) {
			entered = t.run(`INSERT OR IGNORE INTO retirement (origin, id, first_seen) SELECT ?1, value, ?3`+missing,
				t.json(ids), millis(at)) > 0
		})
	}
	return entered, err
}

// Record saves the results of look-ups. It ignores removed requests and results older than the
// saved ones. A failed look-up does not delete the last successful response.
func (l Ledger) Record(ctx context.Context, lookUps ...LookUp) error {
	return l.write(ctx, func(t *tx) {
		for _, l := range lookUps {
			t.record(l)
		}
	})
}

func (t *tx) record(l LookUp) {
	at := millis(l.At)
	if l.Answer == nil {
		t.run(`UPDATE retirement SET looked_at = ?3, error = ?4 WHERE origin = ?1 AND id = ?2 AND looked_at <= ?3`, l.ID, at,
			l.Error)
		return
	}
	status := string(l.Answer.Status)
	if t.run(`UPDATE retirement SET error = iif(looked_at <= ?3, ?6, error), looked_at = max(looked_at, ?3),
		answered_at = ?3, status = ?4, answer = ?5 WHERE origin = ?1 AND id = ?2 AND answered_at <= ?3`, l.ID, at, status,
		t.json(l.Answer), l.Error) == 0 {
		return
	}
	t.run(`INSERT OR IGNORE INTO retirement_looked (origin, id, status) VALUES (?, ?, ?)`, l.ID, status)
	t.run(`INSERT INTO retirement_state (origin, id, status, since) VALUES (?1, ?2, ?3, ?4)
		ON CONFLICT DO UPDATE SET status = excluded.status, since = excluded.since WHERE excluded.status <>
		status`, l.ID, status, at)
}

// Look records the status that the user saw, unless it is empty.
func (l Ledger) Look(ctx context.Context, id string, status retirement.Status) error {
	return l.change(ctx, `INSERT OR REPLACE INTO retirement_looked (origin, id, status)
		SELECT origin, id, ?3 FROM retirement WHERE origin = ?1 AND id = ?2 AND ?3 <> ''`, id, string(status))
}

// SetLabel sets the label of a request; an empty label deletes it. The latest call wins.
func (l Ledger) SetLabel(ctx context.Context, id, label string, at time.Time) error {
	return l.change(ctx,
		`UPDATE retirement SET label = ?3, label_at = ?4 WHERE origin = ?1 AND id = ?2 AND label_at <= ?4`, id, label,
		millis(at))
}

// SetCertificate records where a certificate was saved. The latest call wins.
func (l Ledger) SetCertificate(ctx context.Context, id string, c retirement.Certificate) error {
	return l.SetCertificates(ctx, map[string]retirement.Certificate{id: c})
}

// SetCertificates records where the certificates of requests were saved, in one transaction.
func (l Ledger) SetCertificates(ctx context.Context, saved map[string]retirement.Certificate) error {
	return l.write(ctx, func(t *tx) {
		for id, c := range saved {
			t.run(`UPDATE retirement SET certificate_path = ?3, certificate_type = ?4, certificate_size = ?5,
				certificate_sha256 = ?6, certificate_at = ?7 WHERE origin = ?1 AND id = ?2 AND certificate_at <= ?7`,
				id, c.Path, c.MediaType, c.Size, c.SHA256, millis(c.FetchedAt))
		}
	})
}

// Remove deletes retirement requests from the ledger.
func (l Ledger) Remove(ctx context.Context, ids ...string) error {
	return l.write(ctx, func(t *tx) {
		for _, id := range ids {
			t.run(`INSERT OR IGNORE INTO retirement_removed (origin, id) VALUES (?, ?)`, id)
			t.run(`DELETE FROM retirement WHERE origin = ? AND id = ?`, id)
		}
	})
}

// States returns the time since which each request has been in its state.
func (l Ledger) States(ctx context.Context) (map[string]time.Time, error) {
	return table(ctx, l.part, `SELECT id, since FROM retirement_state WHERE origin = ?`,
		func(stmt *sqlite.Stmt) (string, time.Time) { return stmt.ColumnText(0), columnTime(stmt, 1) })
}
