package store

import (
	"context"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
)

// Crossed holds the rules of a service against the facts of their vintages at a
// time and returns those that hold now and did not before, or that hold when
// they are checked for the first time. Each crossing is returned once, to one of
// the programs that use the file, and stands in the history. A rule whose facts
// are not known is left as it is; one that waits for a price to start from gets
// it.
func (s *Store) Crossed(ctx context.Context, origin string, at time.Time, facts func(model.VintageKey) model.Facts) ([]Fired, error) {
	var since time.Time
	return cross(ctx, s, func(conn *sqlite.Conn) ([]ruleLook, error) {
		looks, err := readLooks(conn, origin)
		if err != nil || len(looks) == 0 {
			return looks, err
		}
		since, err = look(conn, looks[0].service, atRules, at)
		return looks, err
	}, func(conn *sqlite.Conn, l ruleLook) (*Fired, error) { return l.again(conn, facts(l.Vintage), since, at) })
}

func cross[L any](ctx context.Context, s *Store, read func(*sqlite.Conn) ([]L, error), again func(*sqlite.Conn, L) (*Fired, error)) ([]Fired, error) {
	var crossed []Fired
	err := s.write(ctx, func(conn *sqlite.Conn) error {
		crossed = nil
		looks, err := read(conn)
		if err != nil {
			return err
		}
		for _, l := range looks {
			fired, err := again(conn, l)
			if err != nil {
				return err
			}
			if fired != nil {
				crossed = append(crossed, *fired)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return crossed, nil
}

// ruleLook is a rule with what it found when it was last held against the market.
type ruleLook struct {
	service int64
	Alert
	// before says that it was held against it at all.
	before bool
	was    model.Facts
}

func readLooks(conn *sqlite.Conn, origin string) ([]ruleLook, error) {
	return collect(conn, `SELECT rule.origin, rule.project_id, rule.vintage_id, rule.rule, holds, rule_look.rule IS NOT NULL, best_ask, last_paid, available
		FROM rule JOIN origin ON origin.id = rule.origin LEFT JOIN rule_look USING (origin, project_id, vintage_id, rule)
		WHERE url = ? ORDER BY rule.project_id, rule.vintage_id, rule.rule`,
		func(stmt *sqlite.Stmt) (ruleLook, bool) {
			// A rule that only a newer program can read is left alone.
			rule, err := model.ParseRule(stmt.ColumnText(3))
			return ruleLook{
				stmt.ColumnInt64(0), Alert{columnKey(stmt, 1), rule, stmt.ColumnBool(4)}, stmt.ColumnBool(5), columnFacts(stmt, 6),
			}, err == nil
		}, origin)
}

func (l ruleLook) again(conn *sqlite.Conn, now model.Facts, since, at time.Time) (*Fired, error) {
	if started := l.Rule.From(now.BestAsk); started != l.Rule {
		if err := l.change(conn, `UPDATE OR REPLACE rule SET rule = ?5`, started.String()); err != nil {
			return nil, err
		}
		l.Rule = started
	}
	holds, known := l.Rule.Holds(now)
	if !known {
		return nil, nil
	}
	if !l.before || l.was != now {
		err := run(conn, `INSERT OR REPLACE INTO rule_look (origin, project_id, vintage_id, rule, best_ask, last_paid, available) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			l.service, l.Vintage.ProjectID, l.Vintage.VintageID, l.Rule.String(), nullPrice(now.BestAsk), nullPrice(now.LastPaid), nullGrams(now.Available))
		if err != nil {
			return nil, err
		}
	}
	if holds == l.Holds {
		return nil, nil
	}
	if err := l.change(conn, `UPDATE rule SET holds = ?5`, holds); err != nil || !holds {
		return nil, err
	}
	f := Fired{At: at, Vintage: l.Vintage, Rule: l.Rule, Facts: now, Was: l.was, Already: !l.before}
	if l.before && !since.IsZero() && at.Sub(since) > Unwatched {
		f.Since = since
	}
	return &f, f.keep(conn, l.service)
}

// change executes an update of the rule.
func (l ruleLook) change(conn *sqlite.Conn, update string, value any) error {
	return run(conn, update+` WHERE origin = ?1 AND project_id = ?2 AND vintage_id = ?3 AND rule = ?4`,
		l.service, l.Vintage.ProjectID, l.Vintage.VintageID, l.Rule.String(), value)
}

func columnFacts(stmt *sqlite.Stmt, col int) model.Facts {
	f := model.Facts{BestAsk: columnPrice(stmt, col), LastPaid: columnPrice(stmt, col+1), Available: model.UnknownGrams}
	if !stmt.ColumnIsNull(col + 2) {
		f.Available = model.Grams(stmt.ColumnInt64(col + 2))
	}
	return f
}

func nullGrams(g model.Grams) any {
	if !g.Known() {
		return nil
	}
	return int64(g)
}
