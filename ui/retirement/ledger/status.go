package ledger

import (
	"fmt"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

// Status counts the requests, and if there is room says when the next is looked up.
func (l *Ledger) Status(roomy bool) string {
	all := len(l.rows)
	if all == 0 {
		return ""
	}
	if l.total > 1 {
		return "looked up " + tab.Number(int64(l.total-len(l.waiting))) + " of " + tab.Number(int64(l.total))
	}
	n, next := l.followed()
	if n == 0 {
		return model.Count(all, "request", "requests")
	}
	status := tab.Number(int64(n)) + " followed"
	if left := next.Sub(l.view.Now()); left > 0 && roomy {
		status += " · next look-up in " + tab.Age(countdown(left)+time.Second)
	}
	return status
}

// Expire returns when the status reads differently by itself.
func (l *Ledger) Expire(now time.Time) (time.Time, bool) {
	_, next := l.followed()
	left := next.Sub(now)
	if next.IsZero() || left <= 0 {
		return time.Time{}, false
	}
	return now.Add(left - countdown(left) + 1), true
}

func countdown(left time.Duration) time.Duration {
	unit := time.Second
	if left > time.Minute {
		unit = time.Minute
	}
	return (left - 1) / unit * unit
}

// Health is how old the answer of the selected request is, or why the last look-up
// brought none. It is that of the market's feed if no request is selected.
func (l *Ledger) Health() session.Status {
	r, ok := l.Selected()
	if !ok {
		return l.view.Market.Status
	}
	s := session.Status{At: r.AnsweredAt, Err: r.Err, Fetching: r.LookingUp, State: session.Live}
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

// Natural returns the width in which nothing of the list is cut.
func (l *Ledger) Natural() int {
	if l.natural == 0 {
		l.natural = l.Table.Natural()
	}
	return l.natural
}

// Draw draws the table in a number of lines.
func (l *Ledger) Draw(block *style.Block, height int, focused bool) {
	if len(l.rows) == 0 {
		block.Put(style.Muted, " The ledger is empty.")
		return
	}
	l.Table.Render(block, height, table.Frame[string]{Focused: focused})
}

// Counts says how many requests there are and how many are followed.
func (l *Ledger) Counts() string {
	n, _ := l.followed()
	text := model.Count(len(l.rows), "request", "requests")
	if shown := l.Table.Len(); shown != len(l.rows) {
		text = fmt.Sprintf("%s of %s", tab.Number(int64(shown)), text)
	}
	if n > 0 {
		text += fmt.Sprintf(", %s followed", tab.Number(int64(n)))
	}
	return text
}
