package cli

import (
	"context"
	"time"

	"tonne/api/session"
	"tonne/ui"
)

// shortestTurn is how long the news of a dashboard are its turn at least: the
// frame that they lead to is drawn behind them.
const shortestTurn = time.Millisecond

// orderly is a feed whose news wait for their turn, which is over when the
// dashboard asks for more. One whose terminal takes no output does not come back.
type orderly struct {
	ui.Feed
	turns *session.Turns
	over  func()
}

// Next returns what is new, in turn. It is meant for one reader.
func (o *orderly) Next(ctx context.Context) ([]session.Event, error) {
	if o.over != nil {
		o.over()
		o.over = nil
	}
	events, err := o.Feed.Next(ctx)
	if err == nil {
		o.over = o.turns.Take(ctx, shortestTurn)
	}
	return events, err
}
