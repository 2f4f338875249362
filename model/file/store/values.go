package store

import (
	"context"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
	"tonne/model/portfolio"
)

// ValuePoint contains the totals of a portfolio at a time, without wallets and price moves.
type ValuePoint struct {
	At    time.Time
	Value portfolio.BookValue
}

// Values are stored hourly for the first period, and daily until they are deleted.
const (
	hourly     = 14 * 24 * time.Hour
	valuesKept = 5 * 366 * 24 * time.Hour
)

// KeepValues saves values of a portfolio, oldest first, all or none. It keeps the last value
// of each hour (UTC), after two weeks the last of each day, for five years. It ignores a value
// if there is a newer one of the same hour.
func (h History) KeepValues(ctx context.Context, points ...ValuePoint) error {
	if len(points) == 0 {
		return nil
	}
	return h.write(ctx, func(t *tx) {
		for _, p := range points {
			t.keepValue(p.At, p.Value)
		}
		now := points[len(points)-1].At
		old := millis(now.Add(-hourly).UTC().Truncate(24 * time.Hour))
		t.run(`DELETE FROM book_value WHERE origin = ?1 AND at < ?2 AND EXISTS (
			SELECT 1 FROM book_value later WHERE later.origin = ?1 AND later.at > book_value.at AND later.at < (book_value.at /
			?3 + 1) * ?3)`,
			old, (24 * time.Hour).Milliseconds())
		t.run(`DELETE FROM book_value WHERE origin = ? AND at < ?`, millis(now.Add(-valuesKept)))
	})
}

func (t *tx) keepValue(at time.Time, v portfolio.BookValue) {
	from := millis(at.UTC().Truncate(time.Hour))
	newer := t.number(`SELECT 1 FROM book_value WHERE origin = ? AND at > ? AND at < ? LIMIT 1`, millis(at),
		from+time.Hour.Milliseconds())
	if newer != 0 {
		return
	}
	t.run(`DELETE FROM book_value WHERE origin = ? AND at >= ? AND at <= ?`, from, millis(at))
	t.run(`INSERT INTO book_value (origin, at, held, valued, value, costed, cost, compared, over_cost) VALUES (?, ?, ?, ?,
		?, ?, ?, ?, ?)`,
		millis(at), int64(v.Held), int64(v.Valued), int64(v.Value), int64(v.Costed), int64(v.Cost), int64(v.Compared),
		int64(v.OverCost))
}

// Values returns the values of a portfolio since a time, oldest first.
func (h History) Values(ctx context.Context, since time.Time) ([]ValuePoint, error) {
	return list(ctx, h.part,
		`SELECT at, held, valued, value, costed, cost, compared, over_cost FROM book_value WHERE origin = ? AND at >= ? ORDER
			BY at`,
		func(stmt *sqlite.Stmt) (ValuePoint, bool) {
			v := portfolio.BookValue{
				Held: model.Grams(stmt.ColumnInt64(1)), Valued: model.Grams(stmt.ColumnInt64(2)),
				Value:  model.Cents(stmt.ColumnInt64(3)),
				Costed: model.Grams(stmt.ColumnInt64(4)), Cost: model.Cents(stmt.ColumnInt64(5)),
				Compared: model.Grams(stmt.ColumnInt64(6)), OverCost: model.Cents(stmt.ColumnInt64(7)),
			}
			v.Unvalued = v.Held - v.Valued
			return ValuePoint{columnTime(stmt, 0), v}, true
		}, millis(since))
}
