package retire

import (
	"cmp"
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tonne/api/retire"
	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// unfinished lists the calls that are not settled. A person has each sent again,
// with its id and its body, or gives it up. One that was given up in doubt waits
// for what the operator of the service says.
type unfinished struct {
	controller *Controller
	pages
	guard keyGuard
	// cursor is the place of the selected call, and selected its id: the list may
	// shrink at any time.
	cursor   int
	selected string
	// confirm is nil unless something is to be confirmed for the call: to send it
	// again, or to give it up.
	confirm *confirmation
	call    retire.Call
	giveUp  bool
	busy    bool
	became  []line
}

func newUnfinished(r *Controller) *unfinished {
	u := &unfinished{controller: r}
	u.goTo(0)
	u.guard.close(r.view.Now())
	return u
}

func (u *unfinished) Title() string {
	unknown := len(retire.NotKnown(u.controller.unfinished))
	title := "Calls that retire, whose outcome is not known · " + tab.Number(int64(unknown))
	if n := len(u.controller.unfinished) - unknown; n > 0 {
		title += " · " + tab.Number(int64(n)) + " not sent"
	}
	if n := len(u.controller.underWay); n > 0 {
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

func (u *unfinished) at() int {
	if at := u.place(u.selected); at >= 0 {
		return at
	}
	return min(u.cursor, max(len(u.controller.unfinished)-1, 0))
}

func (u *unfinished) place(id string) int {
	return slices.IndexFunc(u.controller.unfinished, func(c retire.Call) bool { return c.ExternalID == id })
}

func (u *unfinished) goTo(at int) {
	if n := len(u.controller.unfinished); n > 0 {
		u.cursor = min(max(at, 0), n-1)
		u.selected = u.controller.unfinished[u.cursor].ExternalID
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
		verb = "give it up"
	case c.State == retire.Prepared:
		verb = "send it"
	}
	u.confirm = newConfirmation(c.Plan.Quantity, verb, "leaves", u.controller.view.Now())
}

// Paste confirms nothing.
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
			return effect.Then(func() effect.Effect { return u.gaveUp(c, err) })
		})
	}
	return effect.Work(func(ctx context.Context) any {
		calls := []*retire.Call{&call}
		// The call has why it was not sent, and the journal what the ledger does not take.
		_ = retire.Resume(ctx, flow, calls, func(retire.Progress) {})
		_ = flow.Remember(ctx, calls)
		return effect.Then(func() effect.Effect { return u.resumed(&call) })
	})
}

func (u *unfinished) gaveUp(c retire.Call, err error) effect.Effect {
	switch {
	case err != nil:
		u.ended(said(style.Warning, "✗ Not given up: "+why(err)+"."), u.controller.advice(err))
	case c.Unsure:
		u.ended(said(style.Text, "Given up. It may have been carried out: ask the operator of the service."))
	case c.State == retire.Sent:
		u.ended(said(style.Text, "Given up. It was not accepted."))
	default:
		u.ended(said(style.Text, "Given up. It was never carried out."))
	}
	return u.controller.back()
}

func (u *unfinished) resumed(c *retire.Call) effect.Effect {
	u.ended(u.controller.result(c)...)
	var requests []string
	if c.State == retire.Done {
		requests = append(requests, c.RequestID)
	}
	return effect.Batch(u.controller.back(requests...), say([]*retire.Call{c}))
}

func (u *unfinished) ended(lines ...line) {
	of := line{left: style.Put(style.Strong, tonnes(u.call.Plan.Quantity)).Put(style.Faint, "  "+u.call.ExternalID)}
	u.busy, u.became = false, append([]line{{}, of}, lines...)
	u.guard.close(u.controller.view.Now())
}

func (u *unfinished) Size(width, height int) (w, h int) {
	u.width, u.height = min(width, widest), height
	return u.width, min(height, max(len(u.controller.unfinished), 1)+len(u.below())+2)
}

func (u *unfinished) below() []line {
	lines := []line{{}}
	calls := u.controller.unfinished
	switch {
	case u.busy:
		lines = append(lines, said(style.Muted, "… on its way, with the same id"))
	case u.settled():
		lines = append(lines, said(style.Text, u.whyGone()))
	case len(calls) > 0:
		lines = append(lines, u.about(calls[u.at()])...)
	}
	return fold(append(lines, u.became...), u.width)
}

func (u *unfinished) whyGone() string {
	switch {
	case slices.ContainsFunc(u.controller.underWay, func(c retire.Call) bool { return c.ExternalID == u.call.ExternalID }):
		return "Another program is sending it: Esc."
	case u.place(u.call.ExternalID) >= 0:
		return "It was given up by now: Esc."
	}
	return "Its outcome is known by now: Esc."
}

func (u *unfinished) about(c retire.Call) []line {
	lines := []line{
		labelled("external id", style.Text, c.ExternalID),
		labelled("for", style.Text, whom(c.Plan.Retiree, model.MaskTaxID(c.Plan.Retiree.TaxID))),
		bought("buys", c.Plan),
		labelled("state", style.Text, stateText(c)),
		labelled("confirmed", style.Text, u.controller.view.Moment(model.At(c.MadeAt))+byWhom(c.MadeBy)),
	}
	if remark := retire.Remark(c); remark != "" {
		lines = append(lines, labelled("said last", style.Warning, remark))
	}
	if c.GivenUp {
		lines = append(lines, labelled("given up", style.Warning, "Ask the operator of the service what became of it, and say so: "+
			u.controller.view.Commands("`tonne retire abandon "+c.ExternalID+" --carried-out REQUEST`")+", or `--not-carried-out`. Until then nothing is sent in its place."))
	}
	return lines
}

func byWhom(name string) string {
	if name == "" {
		return ""
	}
	return " by " + name
}

func stateText(c retire.Call) string {
	switch {
	case c.State == retire.Prepared:
		return "written down, never sent" + ofWhole(c)
	case !c.Unsure && c.State == retire.Sent:
		return "it was not accepted; sent again, it keeps its id"
	}
	return "it may have been carried out; sent " + model.Count(c.Tries, "time", "times")
}

func ofWhole(c retire.Call) string {
	whole, ok := retire.RequestQuantity(c.Request)
	if !ok || whole == c.Plan.Quantity {
		return ""
	}
	return ": " + tonnes(c.Plan.Quantity) + " of the " + tonnes(whole) + " that were confirmed"
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
	if len(calls) == 0 {
		b.Put(style.Text, u.nothing())
	}
	for _, l := range below[:max(min(len(below), b.Room()-bottom), 0)] {
		l.put(b.Line(style.Plain))
	}
	b.Blank(b.Room() - bottom)
	if u.confirm != nil && !u.settled() {
		return u.confirm.draw(b, b.Height()-bottom)
	}
	keys := "↵ sends it again with the same id · x gives it up · Esc later"
	switch {
	case u.settled():
		keys = "Esc goes back to the list"
	case len(calls) == 0:
		keys = "↵ leaves"
	case !calls[at].Open():
		keys = "Esc leaves"
	case calls[at].State == retire.Prepared:
		keys = "↵ sends it as it was planned · x gives it up · Esc later"
	}
	b.Put(style.Faint, keys)
	return nil
}

func (u *unfinished) nothing() string {
	if len(u.controller.underWay) > 0 {
		return "Calls are being sent. There is nothing to settle."
	}
	return "The outcome of every call is known."
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
