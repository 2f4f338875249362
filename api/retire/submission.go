package retire

import (
	"context"
	"errors"
	"slices"

	"tonne/api"
	"tonne/api/wire"
	"tonne/model/market"
	"tonne/model/retirement"
)

// Steps are what a submission does with the journal and the service, by *Workflow.
type Steps interface {
	Supplies(ctx context.Context, vintages ...string) (Supplies, error)
	Recall(ctx context.Context, reference string) (History, error)
	Confirm(ctx context.Context, c Confirmed) error
	SendNew(ctx context.Context, c Call, again func(tries int, err error)) (Call, error)
	Resume(ctx context.Context, externalID string, again func(tries int, err error)) (Call, error)
	Abandon(ctx context.Context, externalID string) (Call, error)
}

// Submission is what a person confirms once: one line, or those of a batch.
type Submission struct {
	Steps Steps
	Lines []*Line
	// Batch is the name of a batch, empty for a single retirement. TakeOver says that
	// a person took a batch over that another journal served.
	Batch    string
	TakeOver bool
	// AnyOrder says that any order serves once the one that a request names cannot.
	AnyOrder bool
	// Useless are the orders that the service refused to sell from.
	Useless []string
	// Replaced are the ids of calls of earlier plans that were not sent: this takes their place.
	Replaced []string
	// Allow, which may be nil, returns an error if a call must not be sent.
	Allow func(context.Context, *Call) error
	// Before is what the plan was made with, After what it leaves.
	Before, After Supplies
}

// All returns the calls of all lines.
func (s *Submission) All() []*Call { return s.calls((*Line).All) }

// New returns the calls of the plan.
func (s *Submission) New() []*Call { return s.calls(func(l *Line) []*Call { return l.Calls }) }

func (s *Submission) calls(of func(*Line) []*Call) (all []*Call) {
	for _, l := range s.Lines {
		all = append(all, of(l)...)
	}
	return all
}

// Vintages returns the ids of the vintages of the lines, each once.
func (s *Submission) Vintages() (ids []string) {
	for _, l := range s.Lines {
		if id := l.Request.VintageID; !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Clone returns a submission that shares no call with s.
func (s *Submission) Clone() *Submission {
	c := *s
	c.Lines = slices.Clone(s.Lines)
	for i, l := range c.Lines {
		line := *l
		line.Past, line.Calls = cloned(l.Past), cloned(l.Calls)
		c.Lines[i] = &line
	}
	return &c
}

func cloned(calls []*Call) (all []*Call) {
	for _, c := range calls {
		call := *c
		all = append(all, &call)
	}
	return all
}

// Recall takes what the journal has of a single retirement. The error is
// ErrElsewhere or ErrUnsettled.
func (s *Submission) Recall(ctx context.Context) error {
	h, err := s.Steps.Recall(ctx, s.Lines[0].Reference)
	if err != nil {
		return err
	}
	return s.Lines[0].recall(h)
}

// ReadSupplies reads what the lines are planned with.
func (s *Submission) ReadSupplies(ctx context.Context) error {
	before, err := s.Steps.Supplies(ctx, s.Vintages()...)
	if err != nil {
		return err
	}
	for id, one := range before {
		one.Book.Asks = slices.DeleteFunc(one.Book.Asks, func(a market.Ask) bool { return slices.Contains(s.Useless, a.Order.ID) })
		before[id] = one
	}
	s.Before, s.After = before, before.Clone()
	return nil
}

// PlanLine plans what is left of a line, from what the lines before it left.
func (s *Submission) PlanLine(l *Line) error {
	l.Wanted, l.Calls = l.Left(), nil
	request := l.Request
	request.Quantity = l.Wanted
	plan, err := s.After.Plan(request)
	if _, gone := errors.AsType[*retirement.OrderError](err); gone && s.AnyOrder {
		l.Gone, request.SellOrderID = request.SellOrderID, ""
		plan, err = s.After.Plan(request)
	}
	if err != nil {
		return err
	}
	l.Plan = plan
	passed := 0
	for n, c := range plan.Calls {
		id := ""
		if s.Batch != "" {
			// Another run, on any machine, makes the same.
			id = derivedID("%q %q %d", s.Batch, l.Reference, len(l.Made)+n)
		} else {
			id = l.externalID(c, &passed)
		}
		l.Calls = append(l.Calls, &Call{
			ExternalID: id, Batch: s.Batch, Reference: l.Reference, Request: l.text(), Plan: c, Body: wire.AppendRetireCall(nil, id, c),
		})
	}
	return nil
}

// Progress is reported before a call is sent: the place of its line, its external id,
// how often it was sent, and what the last attempt ended with.
type Progress struct {
	Line       int
	ExternalID string
	Tries      int
	Err        error
}

// Send sends the calls of the plan, as the package comment says. The error says why
// not all were sent: ErrMoved, ErrElsewhere, that of Allow, or why the market could not
// be read or the journal not be written, which a call has as well.
func (s *Submission) Send(ctx context.Context, report func(Progress)) error {
	now, err := s.Steps.Supplies(ctx, s.Vintages()...)
	if err != nil {
		return err
	}
	var planned []retirement.Call
	for _, c := range s.New() {
		planned = append(planned, c.Plan)
	}
	if err := recheck(s.Before, now, planned); err != nil {
		return err
	}
	if err := s.confirm(ctx); err != nil {
		s.New()[0].Err = err
		return err
	}
	return errors.Join(s.send(ctx, report), s.abandonRest(ctx))
}

func (s *Submission) confirm(ctx context.Context) error {
	if s.Batch != "" {
		return nil
	}
	l := s.Lines[0]
	plan := Confirmed{Replaced: slices.Concat(l.replaced, s.Replaced), Known: -1}
	if l.Reference != "" {
		plan.Known = len(l.Made)
	}
	for _, c := range l.Calls {
		plan.Calls = append(plan.Calls, *c)
	}
	if err := s.Steps.Confirm(ctx, plan); err != nil {
		return err
	}
	for _, c := range l.Calls {
		c.State = Prepared
	}
	return nil
}

func (s *Submission) send(ctx context.Context, report func(Progress)) error {
	refused := make(map[string]bool)
	for n, l := range s.Lines {
		for _, c := range l.Calls {
			if refused[c.Plan.VintageID] {
				c.Message = "a call before it was refused, and its plan counted on that"
				continue
			}
			if s.Allow != nil {
				if err := s.Allow(ctx, c); err != nil {
					return err
				}
			}
			report(Progress{Line: n, ExternalID: c.ExternalID})
			sent, err := s.Steps.SendNew(ctx, *c, func(tries int, err error) { report(Progress{n, c.ExternalID, tries, err}) })
			switch err := c.take(sent, err); {
			case err != nil:
				return err
			case c.State == Refused:
				refused[c.Plan.VintageID] = true
			case c.State != Done:
				return nil
			case c.Elsewhere && (s.Batch == "" || !s.TakeOver):
				return Elsewhere(c.RequestID)
			}
		}
	}
	return nil
}

// take takes the outcome of a call. A call that another program makes ends the submission
// like one with an unknown outcome.
func (c *Call) take(sent Call, err error) error {
	if sent.State == Planned {
		if c.Err, c.UnderWay = err, errors.Is(err, ErrHeld); c.UnderWay {
			err = nil
		}
		return err
	}
	*c = sent
	if c.Unwritten = err; err != nil {
		err = ErrDisk.saying(ErrDisk.Todo+", then run `tonne retire resume`: it sends the same id",
			"%s was sent and is %s, which could not be written to the journal: %v", c.ExternalID, c.Status(), err)
	}
	return err
}

func (s *Submission) abandonRest(ctx context.Context) error {
	is := func(what func(*Call) bool) bool { return slices.ContainsFunc(s.New(), what) }
	refused := is(func(c *Call) bool { return c.State == Refused && c.Unwritten == nil })
	elsewhere := is(func(c *Call) bool { return c.Elsewhere })
	if s.Batch != "" || is(func(c *Call) bool { return c.serves() }) && !refused && !elsewhere {
		return nil
	}
	for _, c := range s.New() {
		if c.State != Prepared || c.UnderWay {
			continue
		}
		_, err := s.Steps.Abandon(ctx, c.ExternalID)
		if err != nil && !errors.Is(err, ErrEnded) && !errors.Is(err, ErrHeld) {
			return err
		}
		c.GivenUp = true
	}
	return nil
}

// Resume sends open calls of the journal again, each with its own id and body, and stops
// at the first that stays open. The error is as that of Send.
func Resume(ctx context.Context, steps Steps, calls []*Call, report func(Progress)) error {
	for _, c := range calls {
		if !c.Open() {
			continue
		}
		report(Progress{ExternalID: c.ExternalID})
		sent, err := steps.Resume(ctx, c.ExternalID, func(tries int, err error) { report(Progress{0, c.ExternalID, tries, err}) })
		switch err := c.take(sent, err); {
		case err != nil:
			return err
		case c.Elsewhere:
			return Elsewhere(c.RequestID)
		case c.Open():
			return nil
		}
	}
	return nil
}

// Next returns the submission of what is left of a single retirement that was sent.
// It takes the place of the calls that were not sent.
func (s *Submission) Next() *Submission {
	l := s.Lines[0]
	next := &Submission{Steps: s.Steps, AnyOrder: true, Useless: slices.Clone(s.Useless), Replaced: slices.Clone(s.Replaced)}
	for _, c := range l.Calls {
		switch {
		case (c.State == Planned || c.State == Prepared) && !c.UnderWay:
			next.Replaced = append(next.Replaced, c.ExternalID)
		case c.State == Refused && api.RefusalOf(c.Err).OtherOrder:
			next.Useless = append(next.Useless, c.Plan.SellOrderID)
		}
	}
	line := &Line{Reference: l.Reference, Request: l.Request, MaxPrice: l.MaxPrice}
	if l.Reference == "" {
		line.Request.Quantity = l.Left()
		if l.Gone != "" {
			line.Request.SellOrderID = ""
		}
	}
	next.Lines = []*Line{line}
	return next
}
