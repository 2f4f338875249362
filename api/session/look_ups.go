package session

import (
	"context"
	"time"

	"tonne/api"
	"tonne/model/retirement"
)

// lookUpsAtOnce limits the concurrent look-ups of retirement requests.
const lookUpsAtOnce = 4

// lookUps looks up the requests of the ledger: at once for the user, and periodically until
// they are final.
type lookUps struct {
	*env
	ledger *ledger
	// fetch fetches a request. It is called from any goroutine. wantProject requests the details
	// of its project, and unauthorized ends all polls after the service rejected the key.
	fetch        func(ctx context.Context, id string) (retirement.Request, error)
	wantProject  func(id string)
	unauthorized func(err error)

	inFlight int
	// hold is the wait that the service demanded.
	hold   schedule
	limits int // how often in a row it did
	// refused reports that the service rejected the key or the role. Then, and while polling
	// is paused, only look-ups for the user run.
	refused, paused bool
}

func (u *lookUps) refresh() {
	u.refused, u.hold.on = false, false
	now := u.wall()
	for _, r := range u.ledger.all {
		if !r.NextAt.IsZero() && now.Sub(r.AnsweredAt).Abs() > refreshGap {
			u.ledger.change(r.ID, func(r *Request) { r.NextAt = now })
		}
	}
}

func (u *lookUps) startDue() (next time.Duration, planned bool) {
	now := u.wall()
	if u.hold.on {
		if left := u.hold.left(now, 1); left > 0 {
			return left, true
		}
		u.hold.on = false
	}
	for _, r := range u.ledger.all {
		if r.wanted && u.inFlight < lookUpsAtOnce {
			u.start(r.ID)
		}
	}
	if u.paused || u.refused {
		return 0, false
	}
	for _, r := range u.ledger.all {
		switch left, followed := r.due(now); {
		case followed && left > 0:
			next, planned = soonest(next, planned, left), true
		case followed && u.inFlight < lookUpsAtOnce:
			u.start(r.ID)
		}
	}
	return next, planned
}

func (u *lookUps) start(id string) {
	u.inFlight++
	u.ledger.due = true
	u.ledger.change(id, func(r *Request) { r.Fetching, r.wanted = true, false })
	ctx := u.requestContext()
	u.spawn(func() {
		found, err := u.fetch(ctx, id)
		u.whileRunning(func() {
			if u.inFlight--; err == nil {
				u.limits = 0
				u.wantProject(found.ProjectID)
				u.ledger.answered(id, &found, nil)
				return
			}
			u.ledger.answered(id, nil, err)
			u.handle(id, err)
		})
	})
}

// handle applies a failure to all look-ups. After a rate limit, it repeats the look-up when
// the service permits.
func (u *lookUps) handle(id string, err error) {
	switch api.KindOf(err) {
	case api.Unauthorized, api.Forbidden:
		u.refused = true
		for _, r := range u.ledger.all {
			if r.wanted {
				u.ledger.answered(r.ID, nil, err)
			}
		}
		if api.KindOf(err) == api.Unauthorized {
			u.unauthorized(err)
		}
	case api.RateLimited:
		u.limits++
		u.hold.in(api.Backoff(u.limits, retryAfter(err)), u.wall())
		u.ledger.want(id)
	}
}
