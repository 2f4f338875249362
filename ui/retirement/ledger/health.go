package ledger

import (
	"tonne/api"
	"tonne/api/session"
)

// Health is the state of the selected request: how old its answer is, or why
// the last look-up brought none. If no request is selected, nothing is shown
// that has an age, and it is the state of the connection: that of the market's
// feed.
func (l *Ledger) Health() session.Status {
	r, ok := l.Selected()
	if !ok {
		return l.view.Market.Status
	}
	s := session.Status{At: r.AnsweredAt, Err: r.Err, Fetching: r.lookingUp, State: session.Live}
	switch {
	case r.Err != nil:
		s.State, s.RetryAt = failedState(r), r.NextAt
	case r.Answer == nil:
		s.State = session.Loading
	case r.Pending():
		// Polling ends for all that is followed, with no news of each.
		if market := l.view.Market.Status; market.State == session.Paused {
			s.State = session.Paused
		} else if api.KindOf(market.Err) == api.Unauthorized {
			s.State, s.Err = session.Refused, market.Err
		}
	}
	return s
}

func failedState(r Row) session.State {
	switch {
	case failure(r.Err) == refused:
		return session.Refused
	case r.Answer != nil:
		return session.Stale
	}
	return session.Loading
}
