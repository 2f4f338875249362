package store

import (
	"context"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
	"tonne/model/market"
)

// Observation is the best ask and the quantity on offer of a vintage until the next
// observation.
type Observation struct {
	Vintage model.VintageKey
	At      time.Time
	// BestAsk is UnknownPrice if no whole tonne was for sale.
	BestAsk   model.PriceCents
	Available model.Grams
}

// Observations returns the observations of all vintages of a market that was read at a time.
func Observations(m *market.Market, at time.Time) []Observation {
	observations := make([]Observation, m.Vintages())
	for i := range observations {
		v := m.Vintage(i)
		observations[i] = Observation{m.Key(i), at, v.BestAsk, v.Available}
	}
	return observations
}

// late is the maximum delay of an observation of another program. A longer delay means that
// the clock was set back.
const late = 5 * time.Minute

// Observe saves observations, all or none, and thins out old ones. It ignores those that equal
// the last observation of their vintage or arrive too late.
func (h History) Observe(ctx context.Context, observations []Observation) error {
	if len(observations) == 0 {
		return nil
	}
	return h.write(ctx, func(conn *sqlite.Conn, service int64) error {
		if err := seeMarket(conn, service, observations[0].At, observations[len(observations)-1].At); err != nil {
			return err
		}
		known, err := lastObservations(conn, h.origin)
		if err != nil {
			return err
		}
		newest := time.Time{}
		for _, o := range observations {
			last, found := known[o.Vintage]
			overtaken := o.At.Before(last.At) && last.At.Sub(o.At) <= late
			if found && (overtaken || o.BestAsk == last.BestAsk && o.Available == last.Available) {
				continue
			}
			if err := keepObservation(conn, service, o); err != nil {
				return err
			}
			known[o.Vintage], newest = o, o.At
		}
		return compactSome(conn, service, newest)
	})
}

func lastObservations(conn *sqlite.Conn, origin string) (map[model.VintageKey]Observation, error) {
	last := make(map[model.VintageKey]Observation)
	err := each(conn, `SELECT project_id, vintage_id, at, best_ask, available FROM vintage WHERE origin = (SELECT id FROM origin WHERE url = ?)`,
		func(stmt *sqlite.Stmt) error {
			key := columnKey(stmt, 0)
			last[key] = Observation{key, columnTime(stmt, 2), columnPrice(stmt, 3), model.Grams(stmt.ColumnInt64(4))}
			return nil
		}, origin)
	return last, err
}

func keepObservation(conn *sqlite.Conn, origin int64, o Observation) error {
	vintage, err := number(conn, `INSERT INTO vintage (origin, project_id, vintage_id, at, best_ask, available, compacted_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?4)
		ON CONFLICT (origin, project_id, vintage_id) DO UPDATE SET at = excluded.at, best_ask = excluded.best_ask, available = excluded.available RETURNING id`,
		origin, o.Vintage.ProjectID, o.Vintage.VintageID, millis(o.At), nullPrice(o.BestAsk), int64(o.Available))
	if err != nil {
		return err
	}
	return run(conn, `INSERT INTO observation (vintage, at, best_ask, available) VALUES (?, ?, ?, ?)
		ON CONFLICT (vintage, at) DO UPDATE SET best_ask = excluded.best_ask, available = excluded.available`,
		vintage, millis(o.At), nullPrice(o.BestAsk), int64(o.Available))
}
