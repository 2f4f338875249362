package retire

import (
	"cmp"
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tonne/api/retire"
	"tonne/model"
	"tonne/model/retirement"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// unfinished lists the unsettled calls. The user sends each one again or abandons it.
// An abandoned call with an unknown outcome stays until the user records the service
// operator's answer.
type unfinished struct {
	controller *Controller
	width      int
	guard      keyGuard
	// selected is an id and not an index, because the list may shrink at any time.
	selected string
	// confirm, if not nil, confirms sending call again or, with giveUp, abandoning it.
	confirm *confirmation
	call    retire.Call
	giveUp  bool
	busy    bool
	became  []line
}

func (u *unfinished) Title() string {
	unknown := len(retire.NotKnown(u.controller.unfinished))
	title := "Unresolved retirements (" + tab.Number(int64(unknown)) + ")"
	if n := len(u.controller.unfinished) - unknown; n > 0 {
		title += " · " + tab.Number(int64(n)) + " not sent"
	}
	if n := u.controller.underWay; n > 0 {
		title += " · " + tab.Number(int64(n)) + " being sent"
	}
	return u.controller.titled(title)
}

func (u *unfinished) Press(key tea.KeyPressMsg) (done bool, e effect.Effect) {
	now, stroke := u.controller.view.Now(), key.Keystroke()
	calls := u.controller.unfinished
	switch {
	case stroke == "esc" && u.confirm != nil:
		u.confirm = nil
	case stroke == "esc":
		return true, nil
	case u.busy:
	case u.confirm != nil:
		if !u.settled() && u.confirm.press(key, now) {
			return false, u.act()
		}
	case u.guard.classify(key, now) != acceptedKey:
	case stroke == "up" || stroke == "k":
		u.goTo(u.at() - 1)
	case stroke == "down" || stroke == "j":
		u.goTo(u.at() + 1)
	case len(calls) == 0:
		return stroke == "enter", nil
	case (stroke == "enter" || stroke == "x") && calls[u.at()].Open():
		u.goTo(u.at())
		u.ask(calls[u.at()], stroke == "x")
	}
	return false, nil
}

func (u *unfinished) at() int { return max(u.place(u.selected), 0) }

func (u *unfinished) place(id string) int {
	return slices.IndexFunc(u.controller.unfinished, func(c retire.Call) bool { return c.ExternalID == id })
}

func (u *unfinished) goTo(at int) {
	if n := len(u.controller.unfinished); n > 0 {
		u.selected = u.controller.unfinished[min(max(at, 0), n-1)].ExternalID
	}
}

func (u *unfinished) settled() bool {
	at := u.place(u.call.ExternalID)
	return u.confirm != nil && (at < 0 || !u.controller.unfinished[at].Open())
}

func (u *unfinished) ask(c retire.Call, giveUp bool) {
	u.call, u.giveUp, u.became = c, giveUp, nil
	verb := "send it again"
	switch {
	case giveUp:
		verb = "abandon it"
	case c.State == retire.Prepared:
		verb = "send it"
	}
	u.confirm = newConfirmation(c.Plan.Quantity, verb, "leaves", u.controller.view.Now())
}

// Paste rejects pasted text, which never confirms.
func (u *unfinished) Paste(tea.PasteMsg) effect.Effect {
	if u.confirm != nil {
		u.confirm.refusePaste(u.controller.view.Now())
	}
	return nil
}

func (u *unfinished) act() effect.Effect {
	flow, call := u.controller.flow, u.call
	u.confirm, u.busy = nil, true
	u.controller.out++
	if u.giveUp {
		return effect.Work(func(ctx context.Context) any {
			c, err := flow.Abandon(ctx, call.ExternalID)
			return effect.Then(func() effect.Effect { return u.abandoned(c, err) })
		})
	}
	return effect.Work(func(ctx context.Context) any {
		calls := []*retire.Call{&call}
		// Both errors are harmless: call.Err has the cause, and the journal keeps the request id.
		_ = retire.Resume(ctx, flow, calls, func(retire.Progress) {})
		_ = flow.Remember(ctx, calls)
		return effect.Then(func() effect.Effect { return u.resumed(&call) })
	})
}

func (u *unfinished) abandoned(c retire.Call, err error) effect.Effect {
	if err != nil {
		u.ended(said(style.Warning, "✗ Not abandoned: "+retire.Why(err)+"."), u.controller.advice(retire.Todo(err)))
	} else {
		u.ended(said(style.Text, "Abandoned. "+u.controller.view.Commands(c.Effect())))
	}
	return u.controller.back()
}

func (u *unfinished) resumed(c *retire.Call) effect.Effect {
	u.ended(u.controller.result(c)...)
	var requests []string
	if c.State == retire.Done {
		requests = append(requests, c.RequestID)
	}
	return effect.Batch(u.controller.back(requests...), u.controller.say([]*retire.Call{c}))
}

func (u *unfinished) ended(lines ...line) {
	of := line{left: style.Put(style.Strong, tonnes(u.call.Plan.Quantity)).Put(style.Faint, "  "+u.call.ExternalID)}
	u.busy, u.became = false, append([]line{{}, of}, lines...)
	u.guard.close(u.controller.view.Now())
}

func (u *unfinished) Size(width, height int) (w, h int) {
	u.width = min(width, widest)
	return u.width, min(height, max(len(u.controller.unfinished), 1)+len(u.below())+2)
}

func (u *unfinished) below() []line {
	lines := []line{{}}
	calls := u.controller.unfinished
	switch {
	case u.busy:
		lines = append(lines, said(style.Muted, "… sending, with the same id"))
	case u.settled():
		lines = append(lines, said(style.Text, "Another program has settled it or is sending it. Press Esc."))
	case len(calls) > 0:
		lines = append(lines, u.about(calls[u.at()])...)
	}
	return wrapped(append(lines, u.became...), u.width)
}

func (u *unfinished) about(c retire.Call) []line {
	confirmed := u.controller.view.Moment(model.At(c.MadeAt))
	if c.MadeBy != "" {
		confirmed += " by " + c.MadeBy
	}
	lines := []line{
		labelled("external id", style.Text, c.ExternalID),
		labelled("for", style.Text, whom(c.Plan.Retiree, retirement.MaskTaxID(c.Plan.Retiree.TaxID))),
		bought("buys", c.Plan),
		labelled("state", style.Text, stateText(c)),
		labelled("confirmed", style.Text, confirmed),
	}
	switch remark := c.Remark(); {
	case c.GivenUp:
		lines = append(lines,
			labelled("abandoned", style.Warning,
				u.controller.view.Commands(c.Effect())+" Until then nothing is sent in its place."))
	case !remark.IsEmpty() && !c.Confirmed():
		lines = append(lines, labelled("last message", style.Warning, remark.String()))
	}
	return lines
}

func stateText(c retire.Call) string {
	switch whole := c.Request.Quantity; {
	case c.State == retire.Prepared && whole > 0 && whole != c.Plan.Quantity:
		return "confirmed, never sent: " + tonnes(c.Plan.Quantity) + " of the " + tonnes(whole) + " that you confirmed"
	case c.State == retire.Prepared:
		return "confirmed, never sent"
	case !c.Unsure && c.State == retire.Sent:
		return "not accepted; if sent again, it keeps its id"
	}
	return "may have been carried out; sent " + model.Count(c.Tries, "time", "times")
}

func (u *unfinished) Draw(b *style.Block) *tea.Cursor {
	calls, below := u.controller.unfinished, u.below()
	bottom := 1
	if u.confirm != nil {
		bottom = 2
	}
	rows := max(min(b.Room()-len(below)-bottom, len(calls)), min(len(calls), 1))
	at := u.at()
	first := max(min(at-rows/2, len(calls)-rows), 0)
	for i, c := range slices.Clip(calls)[first : first+rows] {
		u.drawCall(b, c, first+i == at && !u.settled())
	}
	switch {
	case len(calls) > 0:
	case u.controller.underWay > 0:
		b.Put(style.Text, "Calls are being sent. There is nothing to settle.")
	default:
		b.Put(style.Text, "There are no unresolved retirements.")
	}
	for _, l := range below[:max(min(len(below), b.Room()-bottom), 0)] {
		l.put(b.Line(style.Plain))
	}
	b.Blank(b.Room() - bottom)
	if u.confirm != nil && !u.settled() {
		return u.confirm.draw(b, b.Height()-bottom)
	}
	keys := "↵ sends it again with the same id · x abandons it · Esc leaves it"
	switch {
	case u.settled():
		keys = "Esc returns to the list"
	case len(calls) == 0:
		keys = "↵ leaves"
	case !calls[at].Open():
		keys = "Esc leaves"
	case calls[at].State == retire.Prepared:
		keys = "↵ sends it as planned · x abandons it · Esc leaves it"
	}
	b.Put(style.Faint, keys)
	return nil
}

func (u *unfinished) drawCall(b *style.Block, c retire.Call, selected bool) {
	state, mark := style.Plain, ""
	if selected {
		state, mark = style.Selected, "▎"
	}
	l := b.Line(state)
	l.PutLeft(style.Accent, mark, 2)
	l.PutRight(style.Strong, tonnes(c.Plan.Quantity), 14)
	l.Gap(2)
	l.PutRight(style.Text, c.Plan.Cost.FormatDollars(), 14)
	l.Gap(2)
	l.PutLeft(style.Muted, c.Plan.VintageID, 20)
	l.Gap(2)
	l.Put(style.Text, cmp.Or(c.Reference, "—"))
}
