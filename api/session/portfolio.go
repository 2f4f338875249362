package session

import (
	"context"
	"errors"
	"slices"
	"time"

	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/model/store"
)

// aheadAtMost is how far ahead of now a recorded value may be. A later value was written
// while the clock was wrong. It is not shown, but kept, since the current clock may be the
// wrong one.
const aheadAtMost = time.Hour

const keepEvery = time.Minute

// PortfolioValueEvent carries the value of all wallets.
type PortfolioValueEvent struct {
	// At is the time of the market or of the wallets, whichever is older.
	At    time.Time
	Value portfolio.BookValue
	// Since is the baseline of the changes of the day, as in TrendsEvent. Moves reports that
	// it is known.
	Since time.Time
	Moves bool
	// Err is model.ErrOverflow if the value is too large, or model.ErrUnknown if a balance
	// is unreadable.
	Err error
}

// PortfolioHistoryEvent carries the recorded values of the portfolio, oldest first.
type PortfolioHistoryEvent struct {
	Points []store.ValuePoint
	// Err is the error of reading the values, or of writing the newest one.
	Err error
}

type portfolioTracker struct {
	l *loop
	// market and book are the newest complete ones. opened is the opening of the day.
	market MarketEvent
	book   PortfolioEvent
	opened TrendsEvent
	// now is the last value sent. due reports that it must be sent again, moved that it may
	// have changed, and busy that the store is at work. kept is the time of the last value
	// written.
	now              PortfolioValueEvent
	due, moved, busy bool
	kept             time.Time
	// keptMarket and keptBook are saved for later runs, at the time listed.
	keptMarket *market.Market
	keptBook   *portfolio.Positions
	listed     time.Time
}

// receive takes the events that the value depends on. A confirmation changes only its time.
func (b *portfolioTracker) receive(e Event) {
	switch e := e.(type) {
	case MarketEvent:
		if e.Market != nil && !e.Partial {
			b.moved = b.moved || e.Market != b.market.Market
			b.due = b.due || b.moved || !e.At.Equal(b.market.At)
			b.market = e
		}
	case PortfolioEvent:
		if e.Positions != nil && !e.Partial {
			b.moved = b.moved || e.Positions != b.book.Positions
			b.due = b.due || b.moved
			b.book = e
		}
	case TrendsEvent:
		b.opened, b.due, b.moved = e, true, true
	}
}

func (b *portfolioTracker) settle() {
	if !b.l.options.Portfolio || !b.due || b.market.Market == nil || b.book.Positions == nil {
		return
	}
	if b.moved {
		b.now = PortfolioValueEvent{Since: b.opened.Since, Moves: !b.opened.At.IsZero()}
		b.now.Value, b.now.Err = b.book.Positions.BookValue(b.market.Market, b.opened.Opening())
	}
	b.due, b.moved = false, false
	b.now.At = b.market.At
	if b.book.At.Before(b.now.At) {
		b.now.At = b.book.At
	}
	b.l.out.put(b.now)
	if b.now.Err == nil && !b.busy && !b.market.Earlier && !b.book.Earlier && b.now.At.Sub(b.kept).Abs() >= keepEvery {
		b.keep(b.now)
	}
}

func (b *portfolioTracker) keep(now PortfolioValueEvent) {
	b.busy, b.kept = true, now.At
	var history []store.ValuePoint
	b.l.write(func(ctx context.Context) (err error) {
		unwritten := b.l.store.Of(b.l.options.Account).History.KeepValues(ctx, store.ValuePoint{At: now.At, Value: now.Value})
		history, err = b.history(ctx)
		return errors.Join(unwritten, err)
	}, func(err error) { b.tell(history, err) })
}

func (b *portfolioTracker) history(ctx context.Context) ([]store.ValuePoint, error) {
	points, err := b.l.store.Of(b.l.options.Account).History.Values(ctx, time.Time{})
	ahead := b.l.now().Add(aheadAtMost)
	return slices.DeleteFunc(points, func(p store.ValuePoint) bool { return p.At.After(ahead) }), err
}

func (b *portfolioTracker) tell(history []store.ValuePoint, err error) {
	// A value that arrived meanwhile is not in the store yet.
	b.busy, b.due = false, b.due || b.now.At.After(b.kept)
	if b.l.ctx.Err() == nil {
		b.l.out.put(PortfolioHistoryEvent{history, err})
	}
}
