package retirement

import (
	"tonne/api"
	"tonne/api/feed"
)

// Health is the state of the selected request: how old its answer is, or why
// the last look-up brought none. Where no request is selected, the tab shows
// nothing that has an age, and it is the state of the connection: that of the
// market's feed.
func (t *Tab) Health() feed.Status {
	e, ok := t.selected()
	if !ok {
		return t.view.Market.Status
	}
	s := feed.Status{At: e.at, Err: e.err, Fetching: e.fetching}
	switch {
	case e.err != nil:
		s.State, s.RetryAt = failedState(e), e.nextAt
	case e.answer == nil:
		s.State = feed.Loading
	case e.pending():
		s.State = feed.Live
		// Polling ends for all that is followed, with no news of each.
		if market := t.view.Market.Status; market.State == feed.Paused {
			s.State = feed.Paused
		} else if api.KindOf(market.Err) == api.Unauthorized {
			s.State, s.Err = feed.Refused, market.Err
		}
	default:
		s.State = feed.Live
	}
	return s
}

// failedState is the state of a request whose last look-up failed.
func failedState(e *entry) feed.State {
	switch {
	case failure(e.err) == refused:
		return feed.Refused
	case e.answer != nil:
		return feed.Stale
	}
	return feed.Loading
}

// missed reports whether the last look-up failed though another may do better:
// nothing is known of how the request is now.
func (e *entry) missed() bool { return e.err != nil && !hopeless(e.err) }
