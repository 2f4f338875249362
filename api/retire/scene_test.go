package retire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api"
	"tonne/api/wire"
	"tonne/model"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

// scene is a service, and programs that share a journal. Time passes only in send, resume and wait.
type scene struct {
	shop
	t        *testing.T
	path     string
	programs []*program
	ledger   *shelf

	turn sync.Mutex
	// given are the answers of the service after a time: the next one for each call, the last one again and again.
	given []answer
	after time.Time
	asked int
	// bodies are what was sent, by its external id: always the same.
	bodies   map[string]string
	sent     int
	released chan answer
	// later is what calls in the background returned.
	later []string
}

// shared runs a test of programs with a journal.
func shared(t *testing.T, test func(t *testing.T, s *scene)) {
	t.Helper()
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.db")
	synctest.Test(t, func(t *testing.T) {
		s := &scene{t: t, path: path, bodies: make(map[string]string), released: make(chan answer)}
		test(t, s)
		for _, p := range s.programs {
			must.Succeed(t, p.Close(time.Minute))
		}
	})
}

// answer is what the service answers to a call.
type answer struct {
	// since is the time from which on all calls get the answer, 0 for the next call.
	since    time.Duration
	accepted wire.RetireAccepted
	err      error
	// hangs means that the answer comes with release.
	hangs bool
}

var (
	done        = answer{accepted: wire.RetireAccepted{RequestID: "00m1"}}
	replayed    = answer{accepted: wire.RetireAccepted{RequestID: "00m1", Replayed: true}}
	hang        = answer{hangs: true}
	timesOut    = answer{err: &api.Error{Kind: api.TimedOut}}
	unreachable = answer{err: &api.Error{
		Kind: api.Unreachable, Message: "connection refused", Err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED},
	}}
)

// turnsAway is an answer of a gateway.
func turnsAway(status int) answer {
	kind := map[int]api.Kind{
		302: api.NotTheAPI, 401: api.Unauthorized, 403: api.Forbidden, 429: api.RateLimited, 504: api.ServerError,
	}[status]
	return answer{err: &api.Error{Kind: kind, Status: status}}
}

// refuses is an answer of the service, or one without a code.
func refuses(code string) answer {
	return answer{err: &api.Error{Kind: api.Invalid, Status: 422, Code: code, Message: "no"}}
}

func (a answer) from(since time.Duration) answer {
	a.since = since
	return a
}

// answers sets what the service answers from now on.
func (s *scene) answers(all ...answer) { s.given, s.after, s.asked = all, time.Now(), 0 }

// release answers a call that hangs.
func (s *scene) release(a answer) {
	s.released <- a
	synctest.Wait()
}

func (s *scene) RequestRetirement(_ context.Context, body []byte) (wire.RetireAccepted, error) {
	a := s.next(body)
	if a.hangs {
		a = <-s.released
	}
	return a.accepted, a.err
}

func (s *scene) next(body []byte) (next answer) {
	s.turn.Lock()
	defer s.turn.Unlock()
	var call struct {
		ID string `json:"external_id"`
	}
	_ = json.Unmarshal(body, &call)
	was, again := s.bodies[call.ID]
	must.Hold(s.t, !again || was == string(body), "another body is sent", was, string(body))
	s.bodies[call.ID] = string(body)
	for i, a := range s.given {
		if a.since > 0 && time.Since(s.after) >= a.since || a.since == 0 && i <= s.asked {
			next = a
		}
	}
	s.asked++
	s.sent++
	return next
}

// program is one of the programs that share the journal.
type program struct {
	Workflow
	s *scene
}

func (s *scene) program(name string) *program {
	p := &program{s: s, Workflow: Workflow{Path: s.path, Account: account, Client: s, By: name, Now: time.Now}}
	if s.ledger != nil {
		p.Ledger = s.ledger
	}
	s.programs = append(s.programs, p)
	return p
}

// hasLedger gives all programs a ledger with requests that have any reference.
func (s *scene) hasLedger(requests ...string) {
	s.ledger = &shelf{requests: requests}
	for _, p := range s.programs {
		p.Ledger = s.ledger
	}
}

// meanwhile calls in the background, and wait returns the output.
func (s *scene) meanwhile(call func() []string) {
	go func() {
		output := call()
		s.turn.Lock()
		defer s.turn.Unlock()
		s.later = append(s.later, output...)
	}()
	synctest.Wait()
}

// wait returns what calls in the background have said.
func (s *scene) wait(d time.Duration) []string {
	time.Sleep(d)
	synctest.Wait()
	defer func() { s.later = nil }()
	return s.later
}

// killed is the journal of a program that was killed while it sent a call.
func (s *scene) killed(c Call) {
	s.t.Helper()
	c.Account = account
	j := must.Get(openJournal(s.t.Context(), s.path))
	must.Get(j.start(c))
	must.Succeed(s.t, j.close())
}

// altered is a call with another body.
func altered(c Call) Call {
	c.Body = append(c.Body, ' ')
	return c
}

// confirm writes a plan. If known is given, the plan knew so many calls with its reference: those that are there, and
// others that are gone if there are not so many.
func (p *program) confirm(plan Confirmed, known ...int) []string {
	p.s.t.Helper()
	for i := range plan.Calls {
		plan.Calls[i].Account = account
	}
	if len(known) > 0 {
		h := must.Get(p.Recall(p.s.t.Context(), plan.Calls[0].Reference))
		plan.Calls[0].basis = &basis{known: append(h.Made, make([]Call, known[0])...)[:known[0]]}
	}
	return problem(p.Confirm(p.s.t.Context(), plan))
}

func (p *program) send(c Call) []string {
	c.Account = account
	return p.sending(0, func(ctx context.Context, told func(int, error)) (Call, error) {
		return p.SendNew(ctx, c, told)
	})
}

// resume gives up after a time, if it is not 0.
func (p *program) resume(id string, patience time.Duration) []string {
	return p.sending(patience, func(ctx context.Context, told func(int, error)) (Call, error) {
		return p.Resume(ctx, id, told)
	})
}

// sending returns the failed tries, the call, how often it was sent, and the time in multiples of lateCommit.
func (p *program) sending(
	patience time.Duration, send func(ctx context.Context, told func(int, error)) (Call, error),
) []string {
	ctx, began, before := p.s.t.Context(), time.Now(), p.s.sent
	if patience > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	var failed failures
	c, err := send(ctx, failed.add)
	took := time.Since(began)
	if patience == 0 {
		took = took.Truncate(lateCommit)
	}
	all := failed.texts()
	if c.State == Planned {
		return append(all, problem(err)...)
	}
	return append(append(all, texts(err, c)...), fmt.Sprintf("sent %d times in %v", p.s.sent-before, took))
}

// failures are failed tries with equal errors in a row.
type failures []struct {
	first, last int
	err         string
}

func (t *failures) add(try int, err error) {
	if last := len(*t) - 1; last >= 0 && (*t)[last].err == err.Error() && (*t)[last].last == try-1 {
		(*t)[last].last = try
		return
	}
	*t = append(*t, struct {
		first, last int
		err         string
	}{try, try, err.Error()})
}

func (t failures) texts() (all []string) {
	for _, same := range t {
		text := fmt.Sprint(same.first)
		if same.last > same.first {
			text += fmt.Sprint("–", same.last)
		}
		all = append(all, text+": "+same.err)
	}
	return all
}

func (p *program) abandon(id string) []string {
	c, err := p.Abandon(p.s.t.Context(), id)
	return texts(err, c)
}

// settle says that a call is in a request, or in none.
func (p *program) settle(id, request string) []string {
	c, err := p.Settle(p.s.t.Context(), id, request)
	return texts(err, c)
}

func (p *program) calls() []string {
	calls, err := p.Calls(p.s.t.Context(), OfAccount)
	return texts(err, calls...)
}

func (p *program) unsettled() []string {
	calls, err := p.Unsettled(p.s.t.Context())
	return append(texts(err, calls...), fmt.Sprintf("%d of %d not known", len(NotKnown(calls)), len(calls)))
}

// recall returns the calls with a reference, for a request of so many grams if they are not 0.
func (p *program) recall(reference string, grams model.Grams) []string {
	h, err := p.Recall(p.s.t.Context(), reference)
	if err == nil && grams > 0 {
		l := &Line{Reference: reference, Request: retirement.RetireRequest{VintageID: "004a", Quantity: grams}}
		err = l.recall(h)
	}
	return texts(err, h.Made...)
}

// close has a second of patience.
func (p *program) close() []string { return problem(p.Close(time.Second)) }

// named are the errors of the package by name.
var named = map[string]error{
	"no call": ErrNoCall, "held": ErrHeld, "ended": ErrEnded, "other body": ErrOtherBody, "other key": ErrOtherKey,
	"unsettled": ErrUnsettled, "elsewhere": ErrElsewhere, "changed": ErrChanged, "never sent": ErrNotSent, "disk": ErrDisk,
}

// problem names all kinds of an error.
func problem(err error) (all []string) {
	if err == nil {
		return nil
	}
	text := "error"
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if errors.Is(err, named[name]) {
			text += ", " + name
		}
	}
	return []string{text + ": " + err.Error()}
}

func texts(err error, calls ...Call) (all []string) {
	if err != nil {
		return problem(err)
	}
	for _, c := range calls {
		because := fmt.Sprintf(" because: %v", c.Err)
		if c.Err != nil && c.Message != "" && c.Err.Error() == c.Message {
			because = " because of that"
		}
		text := c.ExternalID + " " + string(c.State)
		for _, is := range []struct {
			text  string
			shown bool
		}{
			{" given up", c.GivenUp}, {" unsure", c.Unsure}, {" doubtful", c.Doubtful()}, {" under way", c.UnderWay},
			{" made elsewhere", c.Elsewhere},
			{fmt.Sprint(" turned away by ", c.TurnedAway), c.TurnedAway > 0}, {" in " + c.RequestID, c.RequestID != ""},
			{fmt.Sprintf(" after %d tries", c.Tries), c.Tries > 0}, {" " + c.Code, c.Code != ""},
			{fmt.Sprintf(" %q", c.Message), c.Message != ""},
			{because, c.Err != nil}, {" made by " + c.MadeBy, c.MadeBy != ""},
			{" of " + c.Profile, c.Profile != account.Profile}, {" at " + c.Origin, c.Origin != account.Origin},
		} {
			if is.shown {
				text += is.text
			}
		}
		all = append(all, text)
	}
	return all
}
