package store

import (
	"context"

	"zombiezen.com/go/sqlite"

	"tonne/model/file/dbfile"
	"tonne/model/retirement"
)

// SearchIndex finds the requests of a ledger.
type SearchIndex struct {
	Rows []SearchRow
	// Missing are the ids of the requests without a row, which are new or have changed.
	Missing []string
	// Calls is the number of calls in the journal that the rows have.
	Calls int64
	// state changes with each change of the file.
	state [2]int64
}

// SearchRow is what finds a request.
type SearchRow struct {
	ID string
	// Project is written, but not read again.
	Project string
	// Fraction means that calls may have moved to or from the request, Dated that the time of
	// its creation is known.
	Fraction, Dated  bool
	Reference, Batch string
	retirement.LedgerKey
}

// SearchIndex reads the index.
func (l Ledger) SearchIndex(ctx context.Context) (x SearchIndex, err error) {
	err = l.read(ctx, func(t *tx) {
		x.state, x.Calls = t.state(), t.number(`SELECT calls FROM retirement_search_calls WHERE origin = ?`)
		requests := t.number(`SELECT count(*) FROM retirement WHERE origin = ?`)
		x.Rows = make([]SearchRow, 0, requests)
		// Without the index of the table, its rows are read in the order of the file.
		t.each(`SELECT id, fraction, dated, reference, batch, text, claims FROM retirement_search NOT INDEXED WHERE origin =
			?`,
			func(stmt *sqlite.Stmt) {
				row := SearchRow{
					ID: stmt.ColumnText(0), Fraction: stmt.ColumnBool(1), Dated: stmt.ColumnBool(2), Reference: stmt.ColumnText(3),
					Batch:     stmt.ColumnText(4),
					LedgerKey: retirement.LedgerKey{Text: stmt.ColumnText(5), Claims: make([]byte, stmt.ColumnLen(6))},
				}
				stmt.ColumnBytes(6, row.Claims)
				x.Rows = append(x.Rows, row)
			})
		if requests > int64(len(x.Rows)) {
			x.Missing = collect(t, `SELECT id FROM retirement r WHERE origin = ?1
				AND NOT EXISTS (SELECT 1 FROM retirement_search s WHERE s.origin = ?1 AND s.id = r.id)`,
				func(stmt *sqlite.Stmt) (string, bool) { return stmt.ColumnText(0), true })
		}
	})
	return x, err
}

// PutSearchRows adds or replaces rows of the index. It writes nothing if the file has changed
// since the index was read: the rows may be outdated.
func (l Ledger) PutSearchRows(ctx context.Context, x SearchIndex, rows []SearchRow) error {
	return l.write(ctx, func(t *tx) {
		if t.state() != x.state {
			return
		}
		t.run(`INSERT OR REPLACE INTO retirement_search_calls (origin, calls) VALUES (?, ?)`, x.Calls)
		for _, r := range rows {
			t.run(`INSERT OR REPLACE INTO retirement_search (origin, id, project, fraction, dated, reference, batch, text,
				claims)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, r.ID, r.Project, r.Fraction, r.Dated, r.Reference, r.Batch, r.Text, r.Claims)
		}
	})
}

// state returns the changes by other connections and by this one.
func (t *tx) state() (state [2]int64) {
	read := func(n int) func(*sqlite.Stmt) { return func(stmt *sqlite.Stmt) { state[n] = stmt.ColumnInt64(0) } }
	for n, query := range [...]string{`PRAGMA data_version`, `SELECT total_changes()`} {
		if t.err == nil {
			t.err = dbfile.Execute(t.conn, query, read(n))
		}
	}
	return state
}
