package retire

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/longtest"
)

// unreliable is a service that keeps its books right and answers as it likes:
// it commits and then cuts, hangs or fails; it loses calls, and carries some
// out only later; prices move. It also stands for the client's own death: at
// any instant before or after a call the program that makes it ends.
type unreliable struct {
	*rand.Rand
	// books counts how often a call had its effect.
	books map[string]int
	// moved are calls whose price has moved, for good or for a moment.
	moved map[string]bool
	// late are calls that were received and not carried out yet, with when they
	// will be.
	late map[string]time.Time
	// answers has a request id for each call that had its effect.
	answers int
	calm    bool
}

func (u *unreliable) commit(id string) (wire.RetireAccepted, error) {
	switch {
	case u.books[id] > 0:
		u.answers++
		return wire.RetireAccepted{RequestID: fmt.Sprint("00m", u.answers), Replayed: true}, nil
	case u.moved[id]:
		return wire.RetireAccepted{}, &api.Error{Kind: api.Invalid, Status: 422, Code: "PRICE_SUPPLIED_DIFF_CURRENT_PRICE", Message: "moved"}
	}
	u.books[id]++
	return wire.RetireAccepted{RequestID: "00m"}, nil
}

var failures = []*api.Error{
	{Kind: api.TimedOut}, {Kind: api.ServerError, Status: 500}, {Kind: api.ServerError, Status: 504},
	{Kind: api.NotTheAPI, Status: 200, Message: "cut off"}, {Kind: api.Unreachable, Message: "connection broke off"},
	{Kind: api.Invalid, Status: 422}, {Kind: api.Invalid, Status: 422, Code: "CALL_UNDER_WAY"}, {Kind: api.NotTheAPI, Status: 404, Message: "a proxy"},
}

var refusedAtTheDoor = []*api.Error{
	{Kind: api.Unauthorized, Status: 401}, {Kind: api.Forbidden, Status: 403}, {Kind: api.RateLimited, Status: 429},
	{Kind: api.NotTheAPI, Status: 307, Message: "a redirect"},
}

// hold receives a call and carries it out later, behind any number of other
// calls.
func (u *unreliable) hold(id string) {
	u.late[id] = time.Now().Add(time.Duration(u.Int64N(int64(lateCommit + 1))))
}

// catchUp carries out the calls whose time has come.
func (u *unreliable) catchUp() {
	for id, due := range u.late {
		if !due.After(time.Now()) {
			u.moved[id] = u.IntN(4) == 0
			_, _ = u.commit(id)
			delete(u.late, id)
		}
	}
}

func (u *unreliable) RequestRetirement(_ context.Context, body []byte) (wire.RetireAccepted, error) {
	id := string(body)
	u.catchUp()
	if u.calm {
		return u.commit(id)
	}
	_, underWay := u.late[id]
	// A call that is being carried out has taken the order from its own replay.
	u.moved[id] = underWay && u.IntN(2) == 0 || u.IntN(4) == 0
	fail := failures[u.IntN(len(failures))]
	switch u.IntN(10) {
	case 0: // dies before it is sent
		runtime.Goexit()
	case 1: // dies before the answer is read, or before there is one
		if u.IntN(2) == 0 {
			u.hold(id)
			runtime.Goexit()
		}
		_, _ = u.commit(id)
		runtime.Goexit()
	case 2, 3: // commits, then fails
		_, _ = u.commit(id)
		return wire.RetireAccepted{}, fail
	case 4: // loses it
		return wire.RetireAccepted{}, fail
	case 5: // is slow
		u.hold(id)
		return wire.RetireAccepted{}, fail
	case 6:
		return wire.RetireAccepted{}, refusedAtTheDoor[u.IntN(len(refusedAtTheDoor))]
	}
	return u.commit(id)
}

// Whatever the service answers and whenever the program is killed, its books
// show each call of the journal once or not at all, and the journal says which.
func TestEachCallHasItsEffectOnceOrNotAtAll(t *testing.T) {
	t.Parallel()
	runs := longtest.Runs(100, 1000)
	synctest.Test(t, func(t *testing.T) {
		service := &unreliable{Rand: rand.New(rand.NewPCG(1, 2)), books: map[string]int{}, moved: map[string]bool{}, late: map[string]time.Time{}}
		desk := newDesk(t, service)
		for n := range runs {
			id := fmt.Sprint("line-", n)
			send := func(ctx context.Context) error {
				_, err := desk.SendNew(ctx, callOf(id), nil)
				return err
			}
			if service.IntN(2) == 0 {
				desk.prepare(t, id)
				send = desk.resumes(id)
			}
			for range 1 + service.IntN(3) {
				desk.sendOrDie(t, id, send)
			}
			desk.check(t, id)
		}
		service.calm = true
		open, err := desk.Unsettled(t.Context())
		if err != nil || len(open) < runs/100 {
			t.Fatalf("%d calls are open after %d runs, %v", len(open), runs, err)
		}
		for _, call := range open {
			desk.sendOrDie(t, call.ExternalID, desk.resumes(call.ExternalID))
			if state := desk.check(t, call.ExternalID); state != Done && state != Refused {
				t.Fatalf("%s is %s though the service answers", call.ExternalID, state)
			}
		}
		all, err := desk.Calls(t.Context(), OfAccount)
		if err != nil || len(all) != runs {
			t.Fatalf("%d calls, %v", len(all), err)
		}
		time.Sleep(lateCommit)
		service.catchUp()
		for _, call := range all {
			desk.check(t, call.ExternalID)
		}
	})
}

var account = Account{Origin: "https://market.example", Profile: "desk"}

// testDesk is a program that sends calls, and is started again after its death.
type testDesk struct {
	*Workflow
	service *unreliable
}

func newDesk(t *testing.T, service *unreliable) *testDesk {
	t.Helper()
	d := &testDesk{service: service, Workflow: &Workflow{Path: filepath.Join(t.TempDir(), "journal.db")}}
	d.start(t)
	t.Cleanup(func() { _ = d.opened.close() })
	return d
}

func (d *testDesk) start(t *testing.T) {
	t.Helper()
	d.Workflow = &Workflow{Path: d.Path, Account: account, Client: struct {
		caller
		listings
	}{d.service, nil}, Now: time.Now}
	if err := d.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (d *testDesk) prepare(t *testing.T, id string) {
	t.Helper()
	if err := d.Confirm(t.Context(), Confirmed{Calls: []Call{callOf(id)}, Known: -1}); err != nil {
		t.Fatal(err)
	}
}

func callOf(id string) Call {
	return Call{ExternalID: id, Plan: model.RetireCall{VintageID: "004a", Quantity: 20}, Body: []byte(id)}
}

func (d *testDesk) resumes(id string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := d.Resume(ctx, id, nil)
		return err
	}
}

// sendOrDie sends a call. If the program dies with it, it is started again.
func (d *testDesk) sendOrDie(t *testing.T, id string, send func(context.Context) error) {
	t.Helper()
	ended, survived := make(chan struct{}), false
	go func() {
		defer close(ended)
		err := send(t.Context())
		if err != nil && !errors.Is(err, ErrEnded) {
			t.Errorf("%s: %v", id, err)
		}
		survived = true
	}()
	<-ended
	if !survived {
		if err := d.opened.close(); err != nil {
			t.Fatal(err)
		}
		d.start(t)
	}
}

// check compares the journal with the books of the service, and returns what
// the journal says.
func (d *testDesk) check(t *testing.T, id string) State {
	t.Helper()
	call, err := d.Call(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	times := d.service.books[id]
	_, late := d.service.late[id]
	switch {
	case times > 1,
		call.State == Done && times != 1,
		call.State == Refused && (times != 0 || late),
		call.State == Sent && !call.Unsure && (times != 0 || late),
		call.State == Prepared && times != 0:
		t.Fatalf("%s is %s (unsure %t) and had its effect %d times", id, call.State, call.Unsure, times)
	}
	return call.State
}
