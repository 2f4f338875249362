package retire

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"zombiezen.com/go/sqlite"

	"tonne/api"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/market"
	"tonne/model/retirement"
)

// Steps are the operations of a Workflow that a submission uses.
type Steps interface {
	Supplies(ctx context.Context, vintages ...string) (Supplies, error)
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
	passed := 0
	for n, c := range plan.Calls {
		id := ""
		if s.Batch != "" {
			// Another run, on any machine, derives the same id.
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
		err = ErrDisk.withText(ErrDisk.Todo+", then run `tonne retire resume`: it sends the same id",
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

// Resume sends open calls of the journal again, with their ids and bodies, and stops at
// the first that remains open. The errors are those of Send.
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

// Next returns a submission of the remaining quantity of a single retirement after Send.
// It replaces the calls that were not sent.
func (s *Submission) Next() *Submission {
	l := s.Lines[0]
	next := &Submission{Steps: s.Steps, AnyOrder: true, Useless: s.UselessOrders(), Replaced: slices.Clone(s.Replaced)}
	for _, c := range l.Calls {
		if (c.State == Planned || c.State == Prepared) && !c.UnderWay {
			next.Replaced = append(next.Replaced, c.ExternalID)
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

// Confirmed is a plan that the user confirmed for one request outside a batch.
type Confirmed struct {
	// Calls are all calls of the plan, in the order of sending.
	Calls []Call
	// Replaced are the external ids of unsent calls of an earlier plan, which Calls
	// replaces. A call that is also in Calls stays.
	Replaced []string
	// Known is the number of calls with the reference that the plan assumed, or negative.
	Known int
}

func (j *journal) confirm(p Confirmed) error {
	if len(p.Calls) == 0 {
		return nil
	}
	return j.write(func(conn *sqlite.Conn) error {
		// All calls are for the same request and account.
		err := p.replace(conn, p.Calls[0].Account)
		if err == nil {
			err = p.checkUnchanged(conn, p.Calls[0])
		}
		for _, c := range p.Calls {
			if err == nil {
				err = prepare(conn, c, nil)
			}
		}
		return err
	})
}

func (p Confirmed) replace(conn *sqlite.Conn, a Account) error {
	for _, id := range p.Replaced {
		c, found, err := find(conn, a, id)
		switch {
		case err != nil:
			return err
		case !found || containsID(p.Calls, id):
			continue
		case c.State != Prepared:
			return fmt.Errorf("%w: %s", ErrHeld, id)
		}
		if err := giveUp(conn, c); err != nil {
			return err
		}
	}
	return nil
}

func (p Confirmed) checkUnchanged(conn *sqlite.Conn, c Call) error {
	if err := checkUnsettled(conn, c, p.Calls); err != nil || p.Known < 0 {
		return err
	}
	made, err := list(conn, withReference(c.Reference), c.Account)
	if err == nil && len(made) != p.Known {
		err = fmt.Errorf("%w: the journal has %d calls with its reference, and the plan knew of %d", ErrHeld, len(made), p.Known)
	}
	return err
}

// checkUnsettled returns ErrUnsettled if an open or Doubtful call serves the same request
// as a new call. It accepts a call of a batch, which has a derived id, and a call
// without a request. A line of a batch counts as well: it has a reference, and serves the
// same request as a single retirement with that reference.
func checkUnsettled(conn *sqlite.Conn, c Call, except []Call) error {
	if c.Batch != "" || c.Request == "" {
		return nil
	}
	calls, err := list(conn, withReference(c.Reference), c.Account)
	for _, made := range calls {
		if err == nil && made.Request == c.Request && (made.Open() || made.Doubtful()) && !containsID(except, made.ExternalID) {
			err = fmt.Errorf("%w: %s", ErrUnsettled, made.ExternalID)
		}
	}
	return err
}

func containsID(calls []Call, id string) bool {
	return slices.ContainsFunc(calls, func(c Call) bool { return c.ExternalID == id })
}

// Line is one request with the calls that serve it.
type Line struct {
	Reference string
	Request   retirement.RetireRequest
	// MaxPrice is the limit per tonne, or model.UnknownPrice.
	MaxPrice model.PriceCents
	// Made are the calls of the journal with the reference, or of this line of the batch.
	// Past are the ones of them that serve the request, and Calls those of the plan.
	Made        []Call
	Past, Calls []*Call
	// Plan is the last plan, and Wanted its quantity in grams.
	Plan   retirement.Plan
	Wanted model.Grams
	// Gone is the unusable order of the request, if the plan uses others instead.
	Gone string

	// replaced are the ids of confirmed and unsent calls, which the plan replaces.
	replaced []string
	origin   string
}

func (l *Line) text() string { return RequestText(l.Request) }

// All returns the calls of the line.
func (l *Line) All() []*Call { return slices.Concat(l.Past, l.Calls) }

// Left returns the quantity that no call serves, in grams.
func (l *Line) Left() model.Grams {
	left := l.Request.Quantity
	for _, c := range l.Past {
		if c.State != Refused || c.Unwritten != nil {
			left -= c.Plan.Quantity
		}
	}
	for _, c := range l.Calls {
		if c.serves() {
			left -= c.Plan.Quantity
		}
	}
	return left
}

// TooDear returns the last call of the plan with a price above the limit.
func (l *Line) TooDear() (dear retirement.Call, found bool) {
	for _, c := range l.Plan.Calls {
		if l.MaxPrice.Known() && c.Price > l.MaxPrice {
			dear, found = c, true
		}
	}
	return dear, found
}

// recall sets the history of a line outside a batch. Retirements without a reference are
// independent; only unsettled ones matter.
func (l *Line) recall(h History) error {
	l.Made, l.Past, l.replaced, l.origin = h.Made, nil, nil, h.Origin
	serving := slices.DeleteFunc(slices.Clone(h.Made), func(c Call) bool { return !SameRequest(c.Request, l.text()) })
	if l.Reference != "" && slices.ContainsFunc(serving, func(c Call) bool { return c.Elsewhere }) {
		var requests []string
		for _, c := range serving {
			if c.State == Done {
				requests = append(requests, c.RequestID)
			}
		}
		return Elsewhere(requests...)
	}
	for _, c := range serving {
		replaced := c.Confirmed() && l.Reference != ""
		switch {
		case c.Open() && !replaced, c.Doubtful():
			return unsettledProblem(c)
		case replaced:
			l.replaced = append(l.replaced, c.ExternalID)
		case c.State == Done && l.Reference != "":
			l.Past = append(l.Past, &c)
		}
	}
	return nil
}

// Ledger is the local ledger of retirement requests. It survives the loss of the journal.
type Ledger interface {
	// WithReference returns the ids of the requests with a reference.
	WithReference(ctx context.Context, reference string) ([]string, error)
	// Remember records requests in order, each with its references.
	Remember(ctx context.Context, requestIDs []string, references map[string][]string) error
}

// History is what is known about a reference before planning.
type History struct {
	// Origin is the base URL of the service.
	Origin string
	// Made are all calls with the reference.
	Made []Call
}

// Recall returns the history of a reference, or of the calls without one if it is empty.
// If the journal has no call with the reference, Recall searches the ledger, and returns
// an ErrElsewhere for requests that are not in the journal.
func (w *Workflow) Recall(ctx context.Context, reference string) (History, error) {
	h := History{Origin: w.Account.Origin}
	var err error
	h.Made, err = w.Calls(ctx, withReference(reference))
	if err != nil || len(h.Made) > 0 || reference == "" || w.Ledger == nil {
		return h, err
	}
	requests, err := w.Ledger.WithReference(ctx, reference)
	if err != nil || len(requests) == 0 {
		return h, err
	}
	// Another profile may belong to another tenant with the same reference.
	others, err := w.Calls(ctx, OfService)
	if err != nil {
		return h, err
	}
	requests = slices.DeleteFunc(requests, func(id string) bool {
		return slices.ContainsFunc(others, func(c Call) bool { return c.RequestID == id })
	})
	if len(requests) > 0 {
		return h, Elsewhere(requests...)
	}
	return h, nil
}

// externalID returns the id of a call outside a batch. With a reference it is derived, so
// that a program without the journal uses the same ids. An id in the journal is reused
// only for the same call, if that was never sent. n counts the ids that the plan has used
// or skipped.
func (l *Line) externalID(c retirement.Call, n *int) string {
	if l.Reference == "" {
		return "tonne-" + rand.Text()
	}
	for {
		id := derivedID("%q %q %q %d %d", l.origin, l.Reference, l.Request.VintageID, l.Request.Quantity, *n)
		*n++
		at := slices.IndexFunc(l.Made, func(made Call) bool { return made.ExternalID == id })
		if at < 0 {
			return id
		}
		if old := l.Made[at]; old.Confirmed() && SameRequest(old.Request, l.text()) && bytes.Equal(old.Body, wire.AppendRetireCall(nil, id, c)) {
			return id
		}
	}
}

func derivedID(format string, of ...any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, format, of...))
	return "tonne-" + hex.EncodeToString(sum[:16])
}

// Repeats counts the lines whose reference and request calls outside the batch have retired, or may
// have. last is the last of these calls.
func (s *Submission) Repeats(all []Call) (lines int, last Call) {
	made := make(map[string]Call)
	for _, c := range all {
		if c.Batch != s.Batch && (c.State == Done || c.Doubtful()) {
			made[c.Reference+"\n"+c.Request] = c
		}
	}
	for _, l := range s.Lines {
		if c, found := made[l.Reference+"\n"+l.text()]; found && l.Left() > 0 {
			lines, last = lines+1, c
		}
	}
	return lines, last
}

// RecallBatch sets the calls of earlier runs of a batch. changed has the references of lines
// whose request has changed since then.
func (s *Submission) RecallBatch(made []Call) (changed []string) {
	past := make(map[string][]Call)
	for _, c := range made {
		past[c.Reference] = append(past[c.Reference], c)
	}
	for _, l := range s.Lines {
		l.Made, l.Past = past[l.Reference], nil
		same := true
		for _, c := range l.Made {
			if c.State == Refused || c.GivenUp && c.State != Done && !c.Doubtful() {
				continue
			}
			same = same && SameRequest(c.Request, l.text())
			l.Past = append(l.Past, &c)
		}
		if !same {
			changed = append(changed, l.Reference)
		}
	}
	return changed
}
