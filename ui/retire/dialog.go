package retire

import (
	"context"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tonne/api/retire"
	"tonne/api/retire/journal"
	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// stage is how far a person is.
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

// dialog leads a person from a wish to what became of it. Nothing in it waits:
// what does is work, which returns to it.
type dialog struct {
	room  *Room
	from  tab.RetireFrom
	stage stage
	form  *form
	// round is what was planned last.
	round *round
	// instead are the ids of calls of earlier plans of the dialog that were
	// confirmed and not sent: the next plan takes their place.
	instead []string
	confirm *confirmation
	// gate guards the keys of the end.
	gate gate
	pages
	// useless are orders that the service refused to sell from.
	useless map[string]bool
	// gone says that the person left.
	gone bool
}

func newDialog(r *Room, from tab.RetireFrom) *dialog {
	return &dialog{room: r, from: from, form: newForm(from.Quantity), useless: make(map[string]bool)}
}

// Title says what is retired, and how much of the plan is not on the screen.
func (d *dialog) Title() string {
	name := d.room.vintageName(d.from.Vintage)
	if d.stage == asking || d.round == nil {
		return d.room.titled("Retire · " + name)
	}
	title := "Retire " + tonnes(d.round.wish.Quantity) + " of " + name
	if below := tab.Below(d.left(d.lines(d.width), d.bottom())); below != "" && d.stage == reviewing {
		title += " · " + below
	}
	return d.room.titled(title)
}

// Press takes a key. Esc goes back from a plan to the form, and leaves everywhere
// else: what is on its way goes on, and what becomes of it is said and stays in
// the journal.
func (d *dialog) Press(key tea.KeyPressMsg) (done bool, e effect.Effect) {
	now := d.room.view.Now()
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
			return false, d.plan()
		}
	case reviewing:
		return d.pressReview(key)
	case ended:
		if d.gate.judge(key, now) == meant && key.Keystroke() == "enter" {
			return d.goOn()
		}
		d.scroll(key.Keystroke(), d.lines(d.width), d.bottom())
	}
	return false, nil
}

func (d *dialog) pressReview(key tea.KeyPressMsg) (done bool, e effect.Effect) {
	lines := d.lines(d.width)
	switch {
	case d.scroll(key.Keystroke(), lines, d.bottom()):
	case d.round.plan.Short > 0:
		if key.Keystroke() == "enter" && d.gate.judge(key, d.room.view.Now()) == meant {
			d.backToForm()
		}
	case !d.confirm.press(key, d.room.view.Now()):
	case d.left(lines, d.bottom()) > 0 && !d.read:
		d.confirm.reset("Read the whole plan first: ↓ shows the rest.")
	default:
		return false, d.send()
	}
	return false, nil
}

// backToForm shows the form as it was filled. Of the plan nothing is left.
func (d *dialog) backToForm() {
	d.stage, d.round = asking, nil
	d.form.goTo(quantityField)
}

// Paste goes into the form. It confirms nothing.
func (d *dialog) Paste(msg tea.PasteMsg) effect.Effect {
	switch d.stage {
	case asking:
		return d.form.paste(msg)
	case reviewing:
		d.confirm.refusePaste(d.room.view.Now())
	}
	return nil
}

// plan plans what the form says, if it says it all.
func (d *dialog) plan() effect.Effect {
	wish, problem, field := d.form.wish(d.from.Vintage.VintageID, d.from.SellOrderID)
	if problem == "" {
		if err := retire.Check(d.form.value(referenceField), wish); err != nil {
			problem, field = tab.Sentence(err), d.form.at
		} else if err := d.room.inTheWay(d.form.value(referenceField), wish); err != nil {
			problem, field = whyNoPlan(err), referenceField
		}
	}
	if problem != "" {
		d.form.goTo(field)
		d.form.problem = problem
		return nil
	}
	return d.readSupply(newAsked(wish, d.form.value(referenceField)))
}

// readSupply reads what a plan is made with, and what was done of it before.
func (d *dialog) readSupply(a asked) effect.Effect {
	d.stage, d.round = reading, nil
	desk := d.room.desk
	return effect.Work(func(ctx context.Context) any {
		supply, err := desk.Supply(ctx, a.wish.VintageID)
		if err == nil {
			var made []journal.Call
			if made, err = desk.Recall(ctx, a.reference); err == nil {
				err = a.count(made)
			}
			a.newID = desk.NewIDs(a.reference, a.text, a.wish, made)
		}
		return effect.Then(func() effect.Effect {
			d.review(a, supply, err)
			return nil
		})
	})
}

// review shows the plan of what was asked for, or why there is none.
func (d *dialog) review(a asked, supply retire.Supply, err error) {
	if d.gone {
		return
	}
	supply.Book.Asks = slices.DeleteFunc(supply.Book.Asks, func(a model.Ask) bool { return d.useless[a.Order.ID] })
	if err == nil {
		d.round, err = newRound(a, supply)
	}
	if _, gone := errors.AsType[*model.OrderError](err); gone && a.anyOrder {
		a.gone = a.wish.SellOrderID
		d.from.SellOrderID, a.wish.SellOrderID = "", ""
		d.round, err = newRound(a, supply)
	}
	_, elsewhere := errors.AsType[*retire.ElsewhereError](err)
	if elsewhere || errors.Is(err, errServed) || errors.Is(err, errDoubt) {
		d.form.goTo(referenceField)
	}
	if err != nil {
		d.stage, d.form.problem = asking, whyNoPlan(err)
		return
	}
	now := d.room.view.Now()
	d.stage, d.pages = reviewing, pages{width: d.width, height: d.height}
	d.confirm = newConfirmation(d.round.quantity(), "retire", "back", now)
	d.gate.close(now)
}

// whyNoPlan explains why a wish cannot be planned, with what to do.
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
	if advice := tab.Advice(err); advice != "" {
		return "Not planned: " + tab.Brief(err) + ". " + advice
	}
	return tab.Sentence(err)
}

// goOn is what ↵ does in the end: it asks again, plans what is left, or leaves.
func (d *dialog) goOn() (done bool, e effect.Effect) {
	switch rest := d.round.rest(); {
	case d.round.isElsewhere():
		// Nothing more may be sent for its reference.
	case d.round.anyOpen():
		return false, d.resume()
	case rest > 0:
		a := d.round.asked
		d.instead = append(d.instead, d.round.unsentIDs()...)
		if a.reference == "" {
			wish := d.round.wish
			wish.Quantity = rest
			a = newAsked(wish, "")
			d.form.entries[quantityField].SetValue(typed(rest))
		}
		a.anyOrder = true
		return false, d.readSupply(a)
	}
	d.gone = true
	return true, nil
}

// Size is as large as what is shown, within the room.
func (d *dialog) Size(width, height int) (w, h int) {
	d.width, d.height = min(width, widest), height
	return d.width, min(height, len(d.lines(d.width))+d.bottom())
}

// widest is how wide a dialog is at most.
const widest = 104

// bottom is how many lines stand below those that are scrolled.
func (d *dialog) bottom() int {
	switch {
	case d.stage == asking:
		return min(len(d.form.walked())+3, max(d.height-2, 5))
	case d.stage == reviewing && d.round.plan.Short == 0:
		return 2
	}
	return 1
}

// Draw draws the lines, and below them what the keys are for.
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
		b.Put(style.Faint, d.whatNext())
	case reviewing:
		if d.round.plan.Short > 0 {
			b.Put(style.Faint, "↵ back to the form")
			return nil
		}
		return d.confirm.draw(b, y)
	}
	return nil
}

func (d *dialog) drawForm(b *style.Block, y int) *tea.Cursor {
	cursor := d.form.draw(b, y)
	hint, list := d.form.hint()
	for i, l := range wrapped(hint.role, hint.text, b.Width()) {
		if len(list) == 0 && i < b.Room()-1 {
			l.put(b.Line(style.Plain))
		}
	}
	if len(list) > 0 {
		l := b.Line(style.Plain)
		for i, s := range list {
			if i > 0 {
				l.Gap(3)
			}
			l.Put(s.role, s.text)
		}
	}
	b.Blank(b.Room() - 1)
	keys := "↵ next · Esc leaves"
	switch {
	case d.form.at == referenceField:
		keys = "↵ plans; nothing is sent before you confirm · Esc leaves"
	case len(list) > 1:
		keys = "↑↓ choose · ↵ takes the first · Esc leaves"
	}
	b.Put(style.Faint, keys)
	return cursor
}

func (d *dialog) whatNext() string {
	switch rest := d.round.rest(); {
	case d.round.isElsewhere():
		return "↵ leaves"
	case d.round.anyOpen():
		return "↵ asks again with the same id, which retires nothing twice · Esc leaves it in the journal"
	case rest > 0 && rest < d.round.quantity():
		return "↵ plans the rest, " + tonnes(rest) + " · Esc leaves"
	case rest > 0:
		return "↵ plans again · Esc leaves"
	}
	return "↵ leaves"
}
