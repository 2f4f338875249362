package ledger

import (
	"tonne/api"
	"tonne/api/feed"
)

// Health is the state of the selected request: how old its answer is, or why
// the last look-up brought none. If no request is selected, nothing is shown
// that has an age, and it is the state of the connection: that of the market's
// feed.
func (l *Ledger) Health() feed.Status {
	r, ok := l.Selected()
	if !ok {
		return l.view.Market.Status
	}
	s := feed.Status{At: r.AnsweredAt, Err: r.Err, Fetching: r.lookingUp, State: feed.Live}
	switch {
	case r.Err != nil:
		s.State, s.RetryAt = failedState(r), r.NextAt
	case r.Answer == nil:
		s.State = feed.Loading
	case r.Pending():
		// Polling ends for all that is followed, with no news of each.
		if market := l.view.Market.Status; market.State == feed.Paused {
			s.State = feed.Paused
		} else if api.KindOf(market.Err) == api.Unauthorized {
			s.State, s.Err = feed.Refused, market.Err
		}
	}
	return s
}

func failedState(r Row) feed.State {
	switch {
	case failure(r.Err) == refused:
		return feed.Refused
	case r.Answer != nil:
		return feed.Stale
	}
	return feed.Loading
}
