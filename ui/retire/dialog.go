package retire

import (
	"context"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tonne/api/retire"
	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

type stage int8

const (
	// asking is the form, reading the moment in which the plan's supply is read.
	asking stage = iota
	reading
	// reviewing shows the plan and waits for the confirmation.
	reviewing
	sending
	ended
)

// dialog leads a person from a request to its outcome. Nothing in it waits: what
// does is work, which returns to it.
type dialog struct {
	controller *Controller
	from       tab.RetireFrom
	stage      stage
	form       *form
	// plan is what was planned last; nil while there is no plan. next is what the rest
	// of the last submission is planned with, also if the form changes.
	plan, next *retire.Submission
	// going counts how often each call that is being sent was sent, by external ids.
	going   map[string]int
	failed  error
	confirm *confirmation
	// guard guards the keys of the end.
	guard keyGuard
	pages
	gone bool
}

func newDialog(c *Controller, from tab.RetireFrom) *dialog {
	return &dialog{controller: c, from: from, form: newForm(from.Quantity)}
}

func (d *dialog) line() *retire.Line { return d.plan.Lines[0] }

func (d *dialog) Title() string {
	name := d.controller.vintageName(d.from.Vintage)
	if d.stage == asking || d.plan == nil {
		return d.controller.titled("Retire · " + name)
	}
	title := "Retire " + tonnes(d.line().Wanted) + " of " + name
	if below := tab.Below(d.left(d.lines(d.width), d.bottom())); below != "" && d.stage == reviewing {
		title += " · " + below
	}
	return d.controller.titled(title)
}

// Press takes a key. Esc goes back from a plan to the form, and leaves everywhere
// else: calls that are being sent continue, and their outcome is reported.
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
		if d.form.press(key) {
			return false, d.planForm()
		}
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
		d.scroll(key.Keystroke(), d.lines(d.width), d.bottom())
	}
	return false, nil
}

func (d *dialog) pressReview(key tea.KeyPressMsg) (done bool, e effect.Effect) {
	lines := d.lines(d.width)
	switch {
	case d.scroll(key.Keystroke(), lines, d.bottom()):
	case d.line().Plan.Short > 0:
		if key.Keystroke() == "enter" && d.guard.classify(key, d.controller.view.Now()) == acceptedKey {
			d.backToForm()
		}
	case !d.confirm.press(key, d.controller.view.Now()):
	case d.left(lines, d.bottom()) > 0 && !d.read:
		d.confirm.reset("Read the whole plan first: ↓ shows the rest.")
	default:
		return false, d.submit()
	}
	return false, nil
}

func (d *dialog) backToForm() {
	d.stage, d.plan = asking, nil
	d.form.goTo(quantityField)
}

// Paste goes into the form. It confirms nothing.
func (d *dialog) Paste(msg tea.PasteMsg) effect.Effect {
	switch d.stage {
	case asking:
		return d.form.paste(msg)
	case reviewing:
		d.confirm.refusePaste(d.controller.view.Now())
	}
	return nil
}

func (d *dialog) planForm() effect.Effect {
	reference := d.form.value(referenceField)
	request, problem, field := d.form.request(d.from.Vintage.VintageID, d.from.SellOrderID)
	if problem == "" {
		if err := retire.Check(reference, request); err != nil {
			problem, field = tab.Sentence(err), d.form.at
		}
	}
	if problem != "" {
		d.form.goTo(field)
		d.form.problem = problem
		return nil
	}
	s := &retire.Submission{Steps: d.controller.flow, Lines: []*retire.Line{{Reference: reference, Request: request}}}
	if d.next != nil {
		s.Replaced, s.Useless = d.next.Replaced, d.next.Useless
	}
	return d.readPlan(s)
}

var errServed = errors.New("retired already under this reference; another one retires it again")

func (d *dialog) readPlan(s *retire.Submission) effect.Effect {
	d.stage, d.plan = reading, nil
	return effect.Work(func(ctx context.Context) any {
		err := s.Recall(ctx)
		if err == nil && s.Lines[0].Left() <= 0 {
			err = errServed
		}
		if err == nil {
			err = s.ReadSupplies(ctx)
		}
		if err == nil {
			err = s.PlanLine(s.Lines[0])
		}
		return effect.Then(func() effect.Effect {
			d.review(s, err)
			return nil
		})
	})
}

func (d *dialog) review(s *retire.Submission, err error) {
	if d.gone {
		return
	}
	_, elsewhere := errors.AsType[*retire.ElsewhereError](err)
	_, unsettled := errors.AsType[*retire.UnsettledError](err)
	if elsewhere || unsettled || errors.Is(err, errServed) {
		d.form.goTo(referenceField)
	}
	if err != nil {
		d.stage, d.form.problem = asking, whyNoPlan(err)
		return
	}
	if s.Lines[0].Gone != "" {
		d.from.SellOrderID = ""
	}
	now := d.controller.view.Now()
	d.stage, d.plan, d.pages = reviewing, s, pages{width: d.width, height: d.height}
	d.confirm = newConfirmation(quantityOf(s.New()), "retire", "back", now)
	d.guard.close(now)
}

func whyNoPlan(err error) string {
	var order *model.OrderError
	switch {
	case errors.As(err, &order):
		return "The order " + order.Error() + ". Esc leaves; R on the vintage takes any order."
	case errors.Is(err, model.ErrOverflow):
		return "The plan cannot be computed: the amount is too large."
	}
	if _, elsewhere := errors.AsType[*retire.ElsewhereError](err); elsewhere {
		return tab.Sentence(err) + " Compare them with your books; another reference retires again."
	}
	if unsettled, ok := errors.AsType[*retire.UnsettledError](err); ok {
		if unsettled.Call.Confirmed() {
			return "Confirmed before and not sent: Esc, then U. Or give a reference."
		}
		return "Not known whether this was done: Esc, then U. Or another reference."
	}
	if advice := tab.Advice(err); advice != "" {
		return "Not planned: " + tab.Brief(err) + ". " + advice
	}
	return tab.Sentence(err)
}

// whatNext says what ↵ does at the end, and returns it; nil leaves.
func (d *dialog) whatNext() (says string, next func() effect.Effect) {
	switch rest, calls := d.line().Left(), d.plan.New(); {
	case slices.ContainsFunc(calls, isElsewhere):
		// Nothing more may be sent for its reference.
	case slices.ContainsFunc(calls, (*retire.Call).Resumable):
		return "↵ asks again with the same id, which retires nothing twice · Esc leaves it in the journal", d.resume
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
		d.form.entries[quantityField].SetValue(typed(line.Request.Quantity))
	}
	return d.readPlan(d.next)
}

func (d *dialog) Size(width, height int) (w, h int) {
	d.width, d.height = min(width, widest), height
	return d.width, min(height, len(d.lines(d.width))+d.bottom())
}

const widest = 104

func (d *dialog) bottom() int {
	switch {
	case d.stage == asking:
		return min(len(d.form.walked())+3, max(d.height-2, 5))
	case d.stage == reviewing && d.line().Plan.Short == 0:
		return 2
	}
	return 1
}

func (d *dialog) Draw(b *style.Block) *tea.Cursor {
	lines, room := d.lines(b.Width()), max(b.Room()-d.bottom(), 0)
	from := min(d.top(lines, d.bottom()), max(len(lines)-room, 0))
	for _, l := range lines[from:min(from+room, len(lines))] {
		l.put(b.Line(style.Plain))
	}
	y := min(room, len(lines)-from)
	switch d.stage {
	case asking:
		return d.drawForm(b, y)
	case reading:
		b.Put(style.Muted, "Reading the order book and your wallet …   Esc leaves")
	case sending:
		b.Put(style.Faint, "Esc leaves the dialog; what is on its way goes on, and stays in the journal")
	case ended:
		says, _ := d.whatNext()
		b.Put(style.Faint, says)
	case reviewing:
		if d.line().Plan.Short > 0 {
			b.Put(style.Faint, "↵ back to the form")
			return nil
		}
		return d.confirm.draw(b, y)
	}
	return nil
}

func (d *dialog) drawForm(b *style.Block, y int) *tea.Cursor {
	cursor := d.form.draw(b, y)
	hint, list := d.form.hint(b.Width())
	for _, l := range hint[:max(min(len(hint), b.Room()-1), 0)] {
		l.put(b.Line(style.Plain))
	}
	b.Blank(b.Room() - 1)
	keys := "↵ next · Esc leaves"
	switch {
	case d.form.at == referenceField:
		keys = "↵ plans; nothing is sent before you confirm · Esc leaves"
	case list > 1:
		keys = "↑↓ choose · ↵ takes the first · Esc leaves"
	}
	b.Put(style.Faint, keys)
	return cursor
}

type pages struct {
	// width and height are the room that there was last.
	width, height int
	first         int
	// read says that the end was on the screen.
	read bool
}

func (p *pages) page(bottom int) int { return max(p.height-bottom, 1) }

func (p *pages) top(lines []line, bottom int) int {
	return max(min(p.first, len(lines)-p.page(bottom)), 0)
}

func (p *pages) left(lines []line, bottom int) int {
	return max(len(lines)-p.top(lines, bottom)-p.page(bottom), 0)
}

func (p *pages) scroll(stroke string, lines []line, bottom int) bool {
	steps := map[string]int{"up": -1, "down": 1, "pgup": -p.page(bottom), "pgdown": p.page(bottom)}
	by, ok := steps[stroke]
	if ok {
		p.first = max(p.top(lines, bottom)+by, 0)
		p.read = p.read || p.left(lines, bottom) == 0
	}
	return ok
}
