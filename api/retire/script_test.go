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
	"strconv"
	"strings"
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
	"tonne/model/texttest"
)

// TestWorkflow runs the scripts of testdata: commands, each followed by its output. See script.do for what there is.
// Time passes only in send, resume and wait.
func TestWorkflow(t *testing.T) {
	t.Parallel()
	texttest.Run(t, "*", func(t *testing.T, text string) (with string) {
		path := filepath.Join(t.TempDir(), "journal.db")
		synctest.Test(t, func(t *testing.T) {
			s := &script{t: t, path: path, bodies: make(map[string]string), programs: make(map[string]*Workflow),
				released: make(chan string)}
			s.do("program", "one")
			with = texttest.Commands(text, s.do)
			for _, program := range s.programs {
				must.Succeed(t, program.Close(time.Minute))
			}
		})
		return with
	})
}

// script is a service, and programs that share a journal. The commands are for one of them.
type script struct {
	shop
	t        *testing.T
	path     string
	programs map[string]*Workflow
	me       *Workflow
	ledger   *shelf

	turn sync.Mutex
	// answers are those of the service since a time: the next one for each call, the last one again and
	// again, and TIME:ANSWER for all calls from then on.
	answers []string
	since   time.Time
	asked   int
	// bodies are what was sent, by its external id: always the same.
	bodies   map[string]string
	sent     int
	released chan string
	// later is the output of commands in the background.
	later []string
}

// failures are answers that are neither "done" nor "replayed" nor the code of a refusal.
var failures = map[string]api.Error{
	"401": {Kind: api.Unauthorized, Status: 401}, "403": {Kind: api.Forbidden, Status: 403},
	"429": {Kind: api.RateLimited, Status: 429},
	"302": {Kind: api.NotTheAPI, Status: 302}, "504": {Kind: api.ServerError, Status: 504},
	"timeout": {Kind: api.TimedOut},
	"unreachable": {Kind: api.Unreachable, Message: "connection refused",
		Err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}},
}

func (s *script) RequestRetirement(_ context.Context, body []byte) (wire.RetireAccepted, error) {
	answer := s.next(body)
	if answer == "hang" {
		answer = <-s.released
	}
	if failure, is := failures[answer]; is {
		return wire.RetireAccepted{}, &failure
	}
	if answer == "done" || answer == "replayed" {
		return wire.RetireAccepted{RequestID: "00m1", Replayed: answer == "replayed"}, nil
	}
	return wire.RetireAccepted{},
		&api.Error{Kind: api.Invalid, Status: 422, Code: strings.TrimPrefix(answer, "422"), Message: "no"}
}

func (s *script) next(body []byte) (answer string) {
	s.turn.Lock()
	defer s.turn.Unlock()
	var call struct {
		ID string `json:"external_id"`
	}
	_ = json.Unmarshal(body, &call)
	was, again := s.bodies[call.ID]
	must.Hold(s.t, !again || was == string(body), "another body is sent", was, string(body))
	s.bodies[call.ID] = string(body)
	for i, a := range s.answers {
		from, timed, is := strings.Cut(a, ":")
		if is && time.Since(s.since) >= must.Get(time.ParseDuration(from)) {
			answer = timed
		} else if !is && i <= s.asked {
			answer = a
		}
	}
	s.asked++
	s.sent++
	return answer
}

// do runs a command of the current program.
func (s *script) do(command string, args ...string) []string {
	ctx, me := s.t.Context(), s.me
	args = append(args, "", "")
	switch command {
	case "program": // NAME [key=KEY] [profile=PROFILE] [address=URL]
		if s.me = s.programs[args[0]]; s.me == nil {
			s.me = &Workflow{Path: s.path, Account: account, Client: s, By: args[0], Now: time.Now}
			s.programs[args[0]] = s.me
			if s.ledger != nil {
				s.me.Ledger = s.ledger
			}
		}
		for _, option := range args[1:] {
			if key, is := strings.CutPrefix(option, "key="); is {
				s.me.Account.KeyMark = keyMark(key)
			} else if profile, is := strings.CutPrefix(option, "profile="); is {
				s.me.Account.Profile = profile
			} else if address, is := strings.CutPrefix(option, "address="); is {
				s.me.Account.Origin = address
			}
		}
	case "service": // ANSWER...
		s.answers, s.since, s.asked = args[:len(args)-2], time.Now(), 0
	case "release": // ANSWER, for a call that hangs
		s.released <- args[0]
		synctest.Wait()
	case "meanwhile": // COMMAND, in the background
		go func() {
			output := s.do(args[0], args[1:len(args)-2]...)
			s.turn.Lock()
			defer s.turn.Unlock()
			s.later = append(s.later, output...)
		}()
		synctest.Wait()
	case "wait": // TIME, and print what commands in the background have said
		time.Sleep(must.Get(time.ParseDuration(args[0])))
		synctest.Wait()
		defer func() { s.later = nil }()
		return s.later
	case "ledger": // REQUEST..., those with any reference
		s.ledger = &shelf{requests: args[:len(args)-2]}
		for _, program := range s.programs {
			program.Ledger = s.ledger
		}
	case "close": // with a second of patience
		return problem(me.Close(time.Second))
	case "kill": // while it sends ID
		j := must.Get(openJournal(ctx, s.path))
		must.Get(j.start(parseCall(args[0])))
		must.Succeed(s.t, j.close())
	default:
		return s.ask(ctx, me, command, args)
	}
	return nil
}

// ask runs a command that calls a method of the workflow.
func (s *script) ask(ctx context.Context, me *Workflow, command string, args []string) []string {
	switch command {
	case "plan": // CALL... [known=N] [instead=ID,ID]
		return problem(me.Confirm(ctx, s.plan(args)))
	case "send": // CALL
		return s.send(func(ctx context.Context, told func(int, error)) (Call, error) {
			return me.SendNew(ctx, parseCall(args[0]), told)
		}, 0)
	case "resume": // ID [PATIENCE]
		patience, _ := time.ParseDuration(args[1])
		return s.send(func(ctx context.Context, told func(int, error)) (Call, error) { return me.Resume(ctx, args[0], told) },
			patience)
	case "abandon": // ID
		c, err := me.Abandon(ctx, args[0])
		return texts(err, c)
	case "settle": // ID [REQUEST]
		c, err := me.Settle(ctx, args[0], args[1])
		return texts(err, c)
	case "calls":
		calls, err := me.Calls(ctx, OfAccount)
		return texts(err, calls...)
	case "unsettled":
		calls, err := me.Unsettled(ctx)
		return append(texts(err, calls...), fmt.Sprintf("%d of %d not known", len(NotKnown(calls)), len(calls)))
	case "remember": // ID, in the ledger
		c := must.Get(me.Call(ctx, args[0]))
		must.Succeed(s.t, me.Remember(ctx, []*Call{&c}))
		return []string{fmt.Sprint(s.ledger.kept)}
	case "recall": // REFERENCE [GRAMS], for a request of so many grams
		h, err := me.Recall(ctx, strings.Trim(args[0], "-"))
		if grams, _ := strconv.Atoi(args[1]); err == nil && grams > 0 {
			l := &Line{Reference: args[0], Request: retirement.RetireRequest{VintageID: "004a", Quantity: model.Grams(grams)}}
			err = l.recall(h)
		}
		return texts(err, h.Made...)
	}
	s.t.Fatal("no command", command)
	return nil
}

// parseCall reads ID or ID/REFERENCE. A call that ends in * has another body.
func parseCall(text string) Call {
	text, other := strings.CutSuffix(text, "*")
	id, reference, _ := strings.Cut(text, "/")
	c := call(id, reference)
	if c.Account = account; other {
		c.Body = append(c.Body, ' ')
	}
	return c
}

// plan reads CALL..., known=N and instead=ID,ID. The plan knew the first N calls with its reference as they
// are now, and others that are gone, if there are not so many.
func (s *script) plan(args []string) Confirmed {
	var p Confirmed
	known := -1
	for _, arg := range args {
		if n, is := strings.CutPrefix(arg, "known="); is {
			known = must.Get(strconv.Atoi(n))
		} else if ids, is := strings.CutPrefix(arg, "instead="); is {
			p.Replaced = strings.Split(ids, ",")
		} else if arg != "" {
			p.Calls = append(p.Calls, parseCall(arg))
		}
	}
	if known >= 0 {
		h := must.Get(s.me.Recall(s.t.Context(), p.Calls[0].Reference))
		p.Calls[0].basis = &basis{known: append(h.Made, make([]Call, known)...)[:known]}
	}
	return p
}

// send returns the failed tries, the call, how often it was sent, and the time in multiples of lateCommit.
func (s *script) send(send func(ctx context.Context, told func(int, error)) (Call, error),
	patience time.Duration) (all []string) {
	ctx, began, before := s.t.Context(), time.Now(), s.sent
	if patience > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	c, err := send(ctx, func(tries int, err error) { all = append(all, fmt.Sprintf("%d: %v", tries, err)) })
	took := time.Since(began)
	if patience == 0 {
		took = took.Truncate(lateCommit)
	}
	if c.State == Planned {
		return append(all, problem(err)...)
	}
	return append(append(all, texts(err, c)...), fmt.Sprintf("sent %d times in %v", s.sent-before, took))
}

// kinds are the errors of the package by name.
var kinds = map[string]error{
	"no call": ErrNoCall, "held": ErrHeld, "ended": ErrEnded, "other body": ErrOtherBody, "other key": ErrOtherKey,
	"unsettled": ErrUnsettled,
	"elsewhere": ErrElsewhere, "changed": ErrChanged, "never sent": ErrNotSent, "disk": ErrDisk,
}

// problem names all kinds of an error.
func problem(err error) (all []string) {
	if err == nil {
		return nil
	}
	text := "error"
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		if errors.Is(err, kinds[name]) {
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
			{fmt.Sprintf(" because: %v", c.Err), c.Err != nil}, {" made by " + c.MadeBy, c.MadeBy != ""},
			{" of " + c.Profile, c.Profile != account.Profile},
			{" at " + c.Origin, c.Origin != account.Origin},
		} {
			if is.shown {
				text += is.text
			}
		}
		all = append(all, text)
	}
	return all
}
