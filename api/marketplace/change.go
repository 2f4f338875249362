package marketplace

import (
	"context"
	"io"
	"time"

	"zombiezen.com/go/sqlite"
)

// change is a write transaction: everything in it happens at one time and in
// the name of one actor.
type change struct {
	*sqlite.Conn
	at     time.Time
	actor  string
	random io.Reader
	// market is the version of the market that the change made, or 0.
	market int64
}

// The actors that are no tenant's key.
const (
	operator = "operator"
	clock    = "clock"
)

// change calls fn in a write transaction at the time of the service's clock.
func (m *Marketplace) change(ctx context.Context, actor string, fn func(*change) error) error {
	return m.changeAt(ctx, m.now(), actor, fn)
}

func (m *Marketplace) changeAt(ctx context.Context, at time.Time, actor string, fn func(*change) error) error {
	c := change{at: at.UTC().Truncate(time.Millisecond), actor: actor, random: m.random}
	err := m.db.write(ctx, func(conn *sqlite.Conn) error {
		c.Conn = conn
		return fn(&c)
	})
	if err == nil && c.market > 0 {
		m.pages.moveTo(c.market)
	}
	return err
}

func (c *change) newID(prefix string) (string, error) { return newID(c.random, prefix) }

// millis is the time of the change as the database keeps it.
func (c *change) millis() int64 { return c.at.UnixMilli() }

// audit writes down that the actor did something to the subject, an id.
func (c *change) audit(action, subject, detail string) error {
	return run(c.Conn, "INSERT INTO audit (at, actor, action, subject, detail) VALUES (?, ?, ?, ?, ?)",
		c.millis(), c.actor, action, subject, detail)
}
