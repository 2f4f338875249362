package retire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tonne/api"
	"tonne/api/retire"
	"tonne/model"
	"tonne/model/retirement"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

type stage int8

const (
	// asking shows the form; reading waits for the order book and the wallet.
	asking stage = iota
	reading
	// reviewing shows the plan and waits for the confirmation.
	reviewing
	sending
	ended
)

// dialog takes the user from the form to the outcome. Its methods never block:
// slow work runs as effect.Work and returns its result.
type dialog struct {
	controller *Controller
	from       tab.RetireFrom
	kind       kind
	stage      stage
	form       fields
	// plan is the last plan, or nil. next is the rest of the last submission. The next
	// plan starts from it, even if the form changes.
	plan, next *retire.Submission
	// going is the number of attempts of each call in flight, by external id.
	going   map[string]int
	failed  error
	confirm *confirmation
	// refused are the reasons why lines of a basket cannot be retired as planned.
	refused []string
	// guard protects the outcome from keys that were typed for the plan.
	guard keyGuard
	// scroll is the scroll position, and below the number of lines below the screen. read
	// is true once the last line has been on the screen.
	scroll        tab.Scroll
	below         int
	read          bool
	width, height int
	gone          bool
}

func (d *dialog) line() *retire.Line { return d.plan.Lines[0] }

// kind is what a dialog retires: a quantity of one vintage, or a basket. The dialog plans and sends both alike.
type kind interface {
	// name is in the title of the form, and suffix follows the quantity in the title of a plan.
	name() string
	suffix() string
	// fields makes the form, and submission reads it. problem is a sentence about a field, or empty.
	fields(form tab.Form) fields
	submission() (s *retire.Submission, problem string, field int)
	// preview says how the quantity in the form is read, or is empty.
	preview() string
	// recall reads the journal. It returns an error if nothing may be planned.
	recall(ctx context.Context, s *retire.Submission) error
	// subject is above the form, planLines are the plan, and summary is above the outcome of the calls.
	subject() []line
	planLines() []line
	summary() []line
	// label is in front of the quantity of a call.
	label(calls []*retire.Call, i int) string
}

func (d *dialog) Title() string {
	if d.stage == asking || d.plan == nil {
		return d.controller.titled("Retire · " + d.kind.name())
	}
	title := "Retire " + tonnes(wanted(d.plan)) + d.kind.suffix()
	if below := tab.Below(d.below); below != "" && d.stage == reviewing {
		title += " · " + below
	}
	return d.controller.titled(title)
}

// Press handles a key. Esc returns from a plan to the form, and otherwise closes the
// dialog. Calls in flight continue, and their outcome is reported.
func (d *dialog) Press(key tea.KeyPressMsg) (done bool, e effect.Effect) {
	now := d.controller.view.Now()
	switch esc := key.Keystroke() == "esc"; {
	case esc && d.stage == reviewing:
		d.backToForm()
		return false, nil
	case esc:
		d.gone = true
		return true, nil
	}
	switch d.stage {
	case asking:
		return d.form.Press(key)
	case reviewing:
		return d.pressReview(key)
	case ended:
		if d.guard.classify(key, now) == acceptedKey && key.Keystroke() == "enter" {
			_, next := d.whatNext()
			if d.gone = next == nil; d.gone {
				return true, nil
			}
			return false, next()
		}
		d.scrolls(key)
	}
	return false, nil
}

func (d *dialog) scrolls(key tea.KeyPressMsg) bool {
	scrolls := slices.Contains([]string{"up", "down", "pgup", "pgdown"}, key.Keystroke())
	if scrolls {
		d.scroll.Press(key)
	}
	return scrolls
}

func (d *dialog) pressReview(key tea.KeyPressMsg) (done bool, e effect.Effect) {
	switch {
	case d.scrolls(key):
	case d.blocked():
		if key.Keystroke() == "enter" && d.guard.classify(key, d.controller.view.Now()) == acceptedKey {
			d.backToForm()
		}
	case !d.confirm.press(key, d.controller.view.Now()):
	case !d.read:
		d.confirm.reset("Read the whole plan first: ↓ shows the rest.")
	default:
		return false, d.run((*retire.Submission).Send)
	}
	return false, nil
}

func (d *dialog) backToForm() {
	d.stage, d.plan, d.refused = asking, nil, nil
	d.form.Focus(quantityField)
}

// blocked reports whether the plan cannot be confirmed, because it lacks supply.
func (d *dialog) blocked() bool { return len(d.refused) > 0 }

// Paste pastes into the form. Pasted text never confirms a plan.
func (d *dialog) Paste(msg tea.PasteMsg) effect.Effect {
	switch d.stage {
	case asking:
		return d.form.Paste(msg)
	case reviewing:
		d.confirm.refusePaste(d.controller.view.Now())
	}
	return nil
}

func (d *dialog) planForm() effect.Effect {
	s, problem, field := d.kind.submission()
	for _, l := range s.Lines {
		if err := retire.Check(l.Reference, l.Request); problem == "" && err != nil {
			problem, field = tab.Sentence(err), d.fieldOf(err)
		}
	}
	if problem != "" {
		d.form.Fail(field, problem)
		return nil
	}
	return d.readPlan(s)
}

var errServed = errors.New("already retired under this reference; use another one to retire again")

func (d *dialog) readPlan(s *retire.Submission) effect.Effect {
	d.stage, d.plan = reading, nil
	return effect.Work(func(ctx context.Context) any {
		refused, err := d.planned(ctx, s)
		return effect.Then(func() effect.Effect {
			d.refused = refused
			d.review(s, err)
			return nil
		})
	})
}

// planned plans the lines that the calls of the journal do not serve completely.
func (d *dialog) planned(ctx context.Context, s *retire.Submission) (refused []string, err error) {
	if err := d.kind.recall(ctx, s); err != nil {
		return nil, err
	}
	if left(s) <= 0 {
		return nil, errServed
	}
	if err := s.ReadSupplies(ctx); err != nil {
		return nil, err
	}
	return planAll(s)
}

// planAll plans the remaining lines, and returns the reasons why some cannot be retired.
func planAll(s *retire.Submission) (refused []string, err error) {
	for _, l := range s.Lines {
		if l.Left() <= 0 {
			continue
		}
		if err := s.PlanLine(l); err != nil {
			return nil, err
		}
		if c, dear := l.TooDear(); dear {
			refused = append(refused, fmt.Sprintf("%s: the sell order %s costs %s per tonne now, more than the limit of %s",
				l.Reference, c.SellOrderID, c.Price.FormatDollars(), l.MaxPrice.FormatDollars()))
		}
		if l.Plan.Short > 0 {
			refused = append(refused, l.Reference+": "+tonnes(l.Plan.Short)+" are neither in your wallet nor for sale")
		}
	}
	_, _, err = cost(s)
	return refused, err
}

func cost(s *retire.Submission) (cost, most model.Cents, err error) {
	for _, l := range s.Lines {
		var errCost, errMost error
		cost, errCost = model.AddCents(cost, l.Plan.Cost)
		most, errMost = model.AddCents(most, l.Plan.MostCost)
		err = cmp.Or(err, errCost, errMost)
	}
	return cost, most, err
}

func left(s *retire.Submission) (sum model.Grams) {
	for _, l := range s.Lines {
		sum = sum.Plus(max(l.Left(), 0))
	}
	return sum
}

func wanted(s *retire.Submission) (sum model.Grams) {
	for _, l := range s.Lines {
		sum = sum.Plus(l.Wanted)
	}
	return sum
}

func (d *dialog) review(s *retire.Submission, err error) {
	if d.gone {
		return
	}
	if err != nil {
		d.stage = asking
		d.form.Fail(referenceField, whyNoPlan(err))
		return
	}
	if s.Lines[0].Gone != "" {
		d.from.SellOrderID = ""
	}
	now := d.controller.view.Now()
	d.stage, d.plan, d.scroll = reviewing, s, tab.Scroll{}
	d.read = len(d.lines(d.width))+d.bottom() <= d.height
	d.confirm = newConfirmation(quantityOf(s.New()), "retire", "back", now)
	d.guard.close(now)
}

func whyNoPlan(err error) string {
	if order, ok := errors.AsType[*retirement.OrderError](err); ok {
		return "The order " + order.Error() + ". Esc leaves; R on the vintage takes any order."
	}
	switch todo := api.Advice(err); {
	case errors.Is(err, retire.ErrElsewhere):
		return tab.Sentence(err) + " Compare them with your own records. To retire again, use another reference."
	case errors.Is(err, retire.ErrUnsettled):
		return tab.Sentence(err) + " Press Esc, then U to settle it, or use another reference."
	case !todo.IsEmpty():
		return "Not planned: " + api.Brief(err) + ". " + todo.String() + "."
	}
	return tab.Sentence(err)
}

func (d *dialog) whatNext() (says string, next func() effect.Effect) {
	switch rest, calls := left(d.plan), d.plan.New(); {
	case slices.ContainsFunc(calls, func(c *retire.Call) bool { return c.Elsewhere }):
		// Another journal used this reference: send nothing more under it.
	case slices.ContainsFunc(calls, (*retire.Call).Resumable):
		return "↵ sends it again with the same id; nothing is retired twice · Esc leaves it in the journal", d.resume
	case rest > 0 && rest < quantityOf(calls):
		return "↵ plans the rest, " + tonnes(rest) + " · Esc leaves", d.planRest
	case rest > 0:
		return "↵ plans again · Esc leaves", d.planRest
	}
	return "↵ leaves", nil
}

func (d *dialog) planRest() effect.Effect {
	d.next = d.plan.Next()
	if line := d.next.Lines[0]; line.Reference == "" {
		d.form.SetValue(quantityField, typed(line.Request.Quantity))
	}
	return d.readPlan(d.next)
}

const widest = 104

func (d *dialog) Size(width, height int) (w, h int) {
	d.width, d.height = min(width, widest), height
	return d.width, min(height, len(d.lines(d.width))+d.bottom())
}

func (d *dialog) bottom() int {
	switch {
	case d.stage == asking:
		d.describe()
		_, fields := d.form.Size(d.width, 0)
		return fields
	case d.stage == reviewing && !d.blocked():
		return 3
	}
	return 1
}

func (d *dialog) Draw(b *style.Block) *tea.Cursor {
	lines := d.lines(b.Width())
	room := max(b.Room()-d.bottom(), 0)
	d.below = d.scroll.Draw(b, room, len(lines), func(l *style.Line, n int) { lines[n].put(l) })
	d.read = d.read || d.below == 0
	y := min(room, len(lines))
	switch d.stage {
	case asking:
		cursor := d.form.Draw(b)
		if cursor != nil {
			cursor.Y += y
		}
		return cursor
	case reading:
		b.Put(style.Muted, "Reading the order book and your wallet …   Esc leaves")
	case sending:
		b.Put(style.Faint, "Esc leaves the dialog; calls in flight continue and stay in the journal")
	case ended:
		says, _ := d.whatNext()
		b.Put(style.Faint, says)
	case reviewing:
		if d.blocked() {
			b.Put(style.Faint, "↵ back to the form")
			return nil
		}
		// The cost is next to the prompt, also if the plan is too long for the screen.
		total, most, _ := cost(d.plan)
		costs(total, most).put(b.Line(style.Plain))
		return d.confirm.draw(b, y+1)
	}
	return nil
}
