package session

import (
	"context"
	"errors"
	"slices"
	"time"

	"tonne/model/file/store"
	"tonne/model/portfolio"
)

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
	*env
	// on reports that the session keeps the portfolio, in kept.
	on   bool
	kept store.History
	// market and book are the newest complete ones. opened is the opening of the day.
	market MarketEvent
	book   PortfolioEvent
	opened TrendsEvent
	// last is the last value sent. due reports that it must be sent again, moved that it may
	// have changed, and busy that the store is at work. written is the time of the last value
	// written.
	last             PortfolioValueEvent
	due, moved, busy bool
	written          time.Time
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

// load sends the values of earlier runs.
func (b *portfolioTracker) load() {
	if b.on {
		b.busy = true
		read(b.env, b.history, b.tell)
	}
}

func (b *portfolioTracker) settle() {
	if !b.on || !b.due || b.market.Market == nil || b.book.Positions == nil {
		return
	}
	if b.moved {
		b.last = PortfolioValueEvent{Since: b.opened.Since, Moves: !b.opened.At.IsZero()}
		b.last.Value, b.last.Err = b.book.Positions.BookValue(b.market.Market, b.opened.Opening())
	}
	b.due, b.moved = false, false
	b.last.At = b.market.At
	if b.book.At.Before(b.last.At) {
		b.last.At = b.book.At
	}
	b.emit(b.last)
	if b.last.Err == nil && !b.busy && !b.market.Earlier && !b.book.Earlier &&
		b.last.At.Sub(b.written).Abs() >= keepEvery {
		b.keepValue(b.last)
	}
}

func (b *portfolioTracker) keepValue(now PortfolioValueEvent) {
	b.busy, b.written = true, now.At
	var history []store.ValuePoint
	b.write(func(ctx context.Context) (err error) {
		unwritten := b.kept.KeepValues(ctx, store.ValuePoint{At: now.At, Value: now.Value})
		history, err = b.history(ctx)
		return errors.Join(unwritten, err)
	}, func(err error) { b.tell(history, err) })
}

func (b *portfolioTracker) history(ctx context.Context) ([]store.ValuePoint, error) {
	points, err := b.kept.Values(ctx, time.Time{})
	ahead := b.now().Add(aheadAtMost)
	return slices.DeleteFunc(points, func(p store.ValuePoint) bool { return p.At.After(ahead) }), err
}

func (b *portfolioTracker) tell(history []store.ValuePoint, err error) {
	// A value that arrived meanwhile is not in the store yet.
	b.busy, b.due = false, b.due || b.last.At.After(b.written)
	if b.ctx.Err() == nil {
		b.emit(PortfolioHistoryEvent{history, err})
	}
}
