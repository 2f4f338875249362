package store

import (
	"context"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
)

// Observation is what a vintage was offered at from a moment on, until the
// next observation of it.
type Observation struct {
	Vintage model.VintageKey
	At      time.Time
	// BestAsk is UnknownPrice if nobody sold a whole tonne.
	BestAsk   model.PriceCents
	Available model.Grams
}

// Observations returns what a market that was fetched at a time says of each
// of its vintages.
func Observations(m *model.Market, at time.Time) []Observation {
	observations := make([]Observation, m.Vintages())
	for i := range observations {
		v := m.Vintage(i)
		observations[i] = Observation{m.Key(i), at, v.BestAsk, v.Available}
	}
	return observations
}

// late is how much older than the newest observation one may be and still be
// taken for news of another program. What is older comes from a clock that
// went back.
const late = 5 * time.Minute

// Observe remembers the observations that differ from the last ones of their
// vintages, all or none. Those that another program has overtaken are left
// out. Old observations are thinned out as time goes on.
func (s *Store) Observe(ctx context.Context, origin string, observations []Observation) error {
	if len(observations) == 0 {
		return nil
	}
	return s.writeTo(ctx, origin, func(conn *sqlite.Conn, service int64) error {
		if err := seeMarket(conn, service, observations[0].At, observations[len(observations)-1].At); err != nil {
			return err
		}
		known, err := lastObservations(conn, service)
		if err != nil {
			return err
		}
		moved, newest := make(map[int64]Observation), time.Time{}
		for _, o := range observations {
			last, found := known[o.Vintage]
			if found && !last.isNews(o) {
				continue
			}
			if !found {
				last.id, err = addVintage(conn, service, o)
			} else {
				moved[last.id] = o
			}
			if err == nil {
				err = addObservation(conn, last.id, o)
			}
			if err != nil {
				return err
			}
			known[o.Vintage] = lastObservation{last.id, o.At, o.BestAsk, o.Available}
			newest = o.At
		}
		if err := moveVintages(conn, moved); err != nil {
			return err
		}
		return compactSome(conn, service, newest)
	})
}

// lastObservation is the last observation of a vintage with its row.
type lastObservation struct {
	id        int64
	at        time.Time
	bestAsk   model.PriceCents
	available model.Grams
}

func (l lastObservation) isNews(o Observation) bool {
	overtaken := o.At.Before(l.at) && l.at.Sub(o.At) <= late
	return !overtaken && (o.BestAsk != l.bestAsk || o.Available != l.available)
}

func lastObservations(conn *sqlite.Conn, origin int64) (map[model.VintageKey]lastObservation, error) {
	last := make(map[model.VintageKey]lastObservation)
	err := each(conn, `SELECT project_id, vintage_id, id, at, best_ask, available FROM vintage WHERE origin = ?`,
		func(stmt *sqlite.Stmt) error {
			last[columnKey(stmt, 0)] = lastObservation{
				stmt.ColumnInt64(2), columnTime(stmt, 3), columnPrice(stmt, 4), model.Grams(stmt.ColumnInt64(5)),
			}
			return nil
		}, origin)
	return last, err
}

func addVintage(conn *sqlite.Conn, origin int64, o Observation) (id int64, err error) {
	err = run(conn, `INSERT INTO vintage (origin, project_id, vintage_id, at, best_ask, available, compacted_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		origin, o.Vintage.ProjectID, o.Vintage.VintageID, millis(o.At), nullPrice(o.BestAsk), int64(o.Available), millis(o.At))
	return conn.LastInsertRowID(), err
}

func moveVintages(conn *sqlite.Conn, last map[int64]Observation) error {
	for id, o := range last {
		err := run(conn, `UPDATE vintage SET at = ?, best_ask = ?, available = ? WHERE id = ?`, millis(o.At), nullPrice(o.BestAsk), int64(o.Available), id)
		if err != nil {
			return err
		}
	}
	return nil
}

func addObservation(conn *sqlite.Conn, vintage int64, o Observation) error {
	return run(conn, `INSERT INTO observation (vintage, at, best_ask, available) VALUES (?, ?, ?, ?)
		ON CONFLICT (vintage, at) DO UPDATE SET best_ask = excluded.best_ask, available = excluded.available`,
		vintage, millis(o.At), nullPrice(o.BestAsk), int64(o.Available))
}
