package retire

import (
	"context"
	"errors"
	"slices"

	"tonne/api"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/advice"
	"tonne/model/market"
	"tonne/model/retirement"
)

// Steps are the operations of a Workflow that a submission uses.
type Steps interface {
	Supplies(ctx context.Context, needs ...Need) (Supplies, error)
	Recall(ctx context.Context, reference string) (History, error)
	Confirm(ctx context.Context, c Confirmed) error
	SendNew(ctx context.Context, c Call, again func(tries int, err error)) (Call, error)
	Resume(ctx context.Context, externalID string, again func(tries int, err error)) (Call, error)
	Abandon(ctx context.Context, externalID string) (Call, error)
}

// Submission is what a user confirms at once: one line, or the lines of a batch.
type Submission struct {
	Steps Steps
	Lines []*Line
	// Batch is the name of the batch, or empty for a single retirement. TakeOver
	// reports that the user takes over a batch of another journal.
	Batch    string
	TakeOver bool
	// AnyOrder allows any order if the order of the request is unusable.
	AnyOrder bool
	// Useless are the orders from which the service refused to sell.
	Useless []string
	// Replaced are the ids of unsent calls of earlier plans, which this one replaces.
	Replaced []string
	// Allow, if not nil, returns an error for a call that must not be sent.
	Allow func(context.Context, *Call) error
	// Before is the supply before the plan, and After the supply after it.
	Before, After Supplies
}

// rules has what differs between a batch and a single retirement.
type rules struct {
	// ahead reports that Send writes all calls before it sends the first.
	ahead bool
	// derive returns the n-th external id of a line. Journals of earlier versions have the same ids.
	derive func(l *Line, n int) string
}

func (s *Submission) rules() rules {
	if s.Batch == "" {
		return rules{ahead: true, derive: (*Line).deriveID}
	}
	return rules{derive: func(l *Line, n int) string { return derivedID("%q %q %d", s.Batch, l.Reference, n) }}
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

// Vintages returns the distinct ids of the vintages of the lines.
func (s *Submission) Vintages() (ids []string) {
	for _, l := range s.Lines {
		if id := l.Request.VintageID; !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (s *Submission) needs() (all []Need) {
	for _, l := range s.Lines {
		order := l.Request.SellOrderID
		if l.Gone != "" {
			order = ""
		}
		n := Need{model.VintageKey{ProjectID: l.ProjectID, VintageID: l.Request.VintageID}, order}
		if !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return all
}

// Clone returns a submission that shares no call with s.
func (s *Submission) Clone() *Submission {
	c := *s
	c.Lines = slices.Clone(s.Lines)
	for i, l := range c.Lines {
		line := *l
		line.Past, line.Calls = cloneCalls(l.Past), cloneCalls(l.Calls)
		c.Lines[i] = &line
	}
	return &c
}

func cloneCalls(calls []*Call) (all []*Call) {
	for _, c := range calls {
		call := *c
		all = append(all, &call)
	}
	return all
}

// Recall reads the calls of a single retirement from the journal. The error is
// ErrElsewhere or ErrUnsettled.
func (s *Submission) Recall(ctx context.Context) error {
	h, err := s.Steps.Recall(ctx, s.Lines[0].Reference)
	if err != nil {
		return err
	}
	return s.Lines[0].recall(h)
}

// ReadSupplies reads the supplies of the lines, without useless orders.
func (s *Submission) ReadSupplies(ctx context.Context) error {
	before, err := s.Steps.Supplies(ctx, s.needs()...)
	if err != nil {
		return err
	}
	for id, one := range before {
		one.Book.Asks = slices.DeleteFunc(one.Book.Asks,
			func(a market.Ask) bool { return slices.Contains(s.Useless, a.Order.ID) })
		before[id] = one
	}
	s.Before, s.After = before, before.Clone()
	return nil
}

// PlanLine plans the remaining quantity of a line, with what the earlier lines left.
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
	ids := externalIDs{line: l, derive: s.rules().derive}
	for _, c := range plan.Calls {
		id := ids.id(c)
		l.Calls = append(l.Calls, &Call{
			ExternalID: id, Batch: s.Batch, Reference: l.Reference, Request: l.Request, Plan: c,
			Body: wire.AppendRetireCall(nil, id, c),
		})
	}
	basis := l.basis()
	for _, c := range l.Calls {
		c.basis = basis
	}
	return nil
}

// Progress is reported before an attempt: the index of the line, the external id, the
// number of earlier attempts, and the last error.
type Progress struct {
	Line       int
	ExternalID string
	Tries      int
	Err        error
}

// Send sends the calls of the plan as described in the package comment. The error states
// why not all were sent: ErrMoved, ErrElsewhere, an error of Allow, or an error of the
// market or the journal, which is also in the call.
func (s *Submission) Send(ctx context.Context, report func(Progress)) error {
	now, err := s.Steps.Supplies(ctx, s.needs()...)
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
	if !s.rules().ahead {
		return nil
	}
	plan := Confirmed{Replaced: s.Replaced}
	for _, l := range s.Lines {
		plan.Replaced = slices.Concat(l.replaced, plan.Replaced)
	}
	for _, c := range s.New() {
		plan.Calls = append(plan.Calls, *c)
	}
	if err := s.Steps.Confirm(ctx, plan); err != nil {
		return err
	}
	for _, c := range s.New() {
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
			case c.Elsewhere && !s.TakeOver:
				return Elsewhere(c.RequestID)
			}
		}
	}
	return nil
}

// take sets the outcome of a call. If another program is sending it, the submission ends
// as for an unknown outcome.
func (c *Call) take(sent Call, err error) error {
	if sent.State == Planned {
		if c.Err, c.UnderWay = err, errors.Is(err, ErrHeld); c.UnderWay {
			err = nil
		}
		return err
	}
	*c = sent
	if c.Unwritten = err; err != nil {
		err = ErrDisk.withText(advice.Format("%s, then run %s: it sends the same id", ErrDisk.Todo, resume),
			"%s was sent and is %s, which could not be written to the journal: %v", c.ExternalID, c.Status(), err)
	}
	return err
}

func (s *Submission) abandonRest(ctx context.Context) error {
	is := func(what func(*Call) bool) bool { return slices.ContainsFunc(s.New(), what) }
	refused := is(func(c *Call) bool { return c.State == Refused && c.Unwritten == nil })
	elsewhere := is(func(c *Call) bool { return c.Elsewhere })
	if is(func(c *Call) bool { return c.serves() }) && !refused && !elsewhere {
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

// Resume sends open calls of the journal again, with their ids and bodies, and stops at
// the first that remains open. The errors are those of Send.
func Resume(ctx context.Context, steps Steps, calls []*Call, report func(Progress)) error {
	for _, c := range calls {
		if !c.Open() {
			continue
		}
		report(Progress{ExternalID: c.ExternalID})
		sent, err := steps.Resume(ctx, c.ExternalID,
			func(tries int, err error) { report(Progress{0, c.ExternalID, tries, err}) })
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

// Next returns a submission of the remaining quantity after Send. It replaces the calls that were not sent.
func (s *Submission) Next() *Submission {
	next := &Submission{Steps: s.Steps, Batch: s.Batch, TakeOver: s.TakeOver, AnyOrder: true,
		Useless: s.UselessOrders(), Replaced: slices.Clone(s.Replaced)}
	for _, c := range s.New() {
		if (c.State == Planned || c.State == Prepared) && !c.UnderWay {
			next.Replaced = append(next.Replaced, c.ExternalID)
		}
	}
	for _, l := range s.Lines {
		line := &Line{Reference: l.Reference, ProjectID: l.ProjectID, Request: l.Request, MaxPrice: l.MaxPrice}
		if l.Reference == "" {
			line.Request.Quantity = l.Left()
			if l.Gone != "" {
				line.Request.SellOrderID = ""
			}
		}
		next.Lines = append(next.Lines, line)
	}
	return next
}

// UselessOrders returns the orders from which the service refused to sell.
func (s *Submission) UselessOrders() []string {
	useless := slices.Clone(s.Useless)
	for _, c := range s.New() {
		if c.State == Refused && api.RefusalOf(c.Err).OtherOrder {
			useless = append(useless, c.Plan.SellOrderID)
		}
	}
	return useless
}
