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

// aheadAtMost is how far ahead of now a remembered value may be. What is further was
// written while the clock was wrong: it is not told, and not deleted either, for it
// may be the clock of now that is wrong.
const aheadAtMost = time.Hour

const keepEvery = time.Minute

// PortfolioValueEvent carries what all wallets are worth together.
type PortfolioValueEvent struct {
	// At is when the older of the market and the wallets was read.
	At    time.Time
	Value portfolio.BookValue
	// Since is the moment from which the moves of the day are counted, as that
	// of TrendsEvent is; Moves says that it is known.
	Since time.Time
	Moves bool
	// Err is model.ErrOverflow if they are worth more than any amount, or
	// model.ErrUnknown if a balance could not be read.
	Err error
}

// PortfolioHistoryEvent carries what is remembered of the value of the book, oldest
// first.
type PortfolioHistoryEvent struct {
	Points []store.ValuePoint
	// Err is why it could not be read, or the newest value not be written down.
	Err error
}

type portfolioTracker struct {
	l *loop
	// market and book are the newest that are complete, opened is how the day
	// began.
	market MarketEvent
	book   PortfolioEvent
	opened TrendsEvent
	// now is what was told last. It is due to be told anew, and moved says that
	// it may be worth something else; busy that the store is at work. The value
	// was written down last as it was at kept.
	now              PortfolioValueEvent
	due, moved, busy bool
	kept             time.Time
	// keptMarket and keptBook are what later runs find, as it was looked at when
	// listed.
	keptMarket *market.Market
	keptBook   *portfolio.Positions
	listed     time.Time
}

// receive takes what the value follows from. What was only confirmed is worth
// the same, and is as of now.
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
	// A value that came meanwhile is not written down yet.
	b.busy, b.due = false, b.due || b.now.At.After(b.kept)
	if b.l.ctx.Err() == nil {
		b.l.out.put(PortfolioHistoryEvent{history, err})
	}
}
