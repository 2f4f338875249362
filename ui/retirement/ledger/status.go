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

// Status returns the count of requests or the progress of look-ups. A roomy one has the time to the next look-up.
func (l *Ledger) Status(roomy bool) (parts tab.Parts) {
	all := len(l.rows)
	if all == 0 {
		return nil
	}
	if l.total > 1 {
		return parts.Say("looked up " + tab.Number(int64(l.total-len(l.waiting))) + " of " + tab.Number(int64(l.total)))
	}
	n, next := l.tracked()
	if n == 0 {
		return parts.Say(model.Count(all, "request", "requests"))
	}
	parts = parts.Say("tracking " + tab.Number(int64(n)))
	if left := next.Sub(l.view.Now()); left > 0 && roomy {
		parts = parts.Say("next look-up in " + tab.Age(countdown(left)+time.Second))
	}
	return parts
}

// Expire returns when the text of Status changes next.
func (l *Ledger) Expire(now time.Time) (time.Time, bool) {
	_, next := l.tracked()
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

// Health returns the age of the selected request's data, or why its last look-up failed. If no
// request is selected, it returns the health of the market.
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
		// Polling stops for all requests at once, without an event for each.
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

// Unsearched returns the number of requests that the search cannot find by the data of the
// service, because they were never found there, or 0 without a search.
func (l *Ledger) Unsearched() (n int) {
	if !l.searched {
		return 0
	}
	for _, r := range l.rows {
		if r.Answer == nil {
			n++
		}
	}
	return n
}

// Natural returns the width that shows the list uncut.
func (l *Ledger) Natural() int {
	if l.natural == 0 {
		l.natural = l.Table.Natural()
	}
	return l.natural
}

// Draw draws the table into height lines.
func (l *Ledger) Draw(block *style.Block, height int, focused bool) {
	if len(l.rows) == 0 {
		block.Put(style.Muted, " The ledger is empty.")
		return
	}
	l.Table.Render(block, height, table.Frame[string]{Focused: focused})
}

// Counts returns how many requests are in the ledger and how many of them are tracked.
func (l *Ledger) Counts() string {
	n, _ := l.tracked()
	text := model.Count(len(l.rows), "request", "requests")
	if shown := len(l.matched); shown != len(l.rows) {
		text = fmt.Sprintf("%s of %s", tab.Number(int64(shown)), text)
	}
	if n > 0 {
		text += fmt.Sprintf(", tracking %s", tab.Number(int64(n)))
	}
	return text
}
