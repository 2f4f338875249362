package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tonne/api/retire"
	"tonne/api/retire/journal"
	"tonne/model"
)

// A single retirement with a reference is known by it, as a line of a batch is:
// the same command counts what the journal has for the same wish and plans the
// rest. Without one each command is a wish of its own.

// recallSingle takes what the journal has of a single retirement.
func (r *retireRun) recallSingle(ctx context.Context) error {
	line, account := r.lines[0], r.sender.Account
	all, err := retire.Recall(ctx, r.journal, account, r.ledger(), line.reference)
	if err != nil {
		return alreadyRetired(err)
	}
	line.ids = retire.NewIDs(account.Origin, line.reference, line.wishText(), line.wish, all)
	made, err := retire.Serving(all, line.wishText())
	if err != nil {
		return alreadyRetired(err)
	}
	if line.reference == "" {
		if made, err = r.journal.Serving(account, "", line.wishText()); err != nil {
			return err
		}
		r.tellSame(made)
	}
	if err := line.unsettled(made); err != nil {
		return err
	}
	if line.reference == "" {
		return nil
	}
	var counts []journal.Call
	for _, c := range made {
		if c.Planned() {
			r.instead = append(r.instead, c.ExternalID)
		} else {
			counts = append(counts, c)
		}
	}
	line.recall(counts)
	line.made = len(all)
	r.tellRetired(line)
	r.warnOfOthers(all)
	return nil
}

// unsettled is a failure if one of the calls that serve the wish may have had
// its effect, or could be sent beside a new one: that would retire the wish a
// second time.
func (l *retireLine) unsettled(made []journal.Call) error {
	for _, c := range made {
		call := recalled(c)
		f := &failure{
			what: "it is not known whether this retirement was carried out as " + c.ExternalID, status: statusUnreachable, code: "outcome_unknown",
			todo: "run `tonne retire resume " + c.ExternalID + "`; for a second retirement give another --reference",
		}
		switch {
		case c.GivenUp && c.Doubtful():
			f.what = c.ExternalID + " was given up while it was not known whether it was carried out"
			f.todo = "ask the operator of the service, and say it: `tonne retire abandon " + c.ExternalID + " --carried-out REQUEST` or `--not-carried-out`; for a second retirement give another --reference"
		case !c.Open() || call.neverSent && l.reference != "":
			continue
		case call.neverSent:
			f.what = fmt.Sprintf("%s of this retirement were confirmed and not sent: they stand in the journal as %s", c.Plan.Quantity.FormatTonnes(), c.ExternalID)
			f.todo = "run `tonne retire resume " + c.ExternalID + "` to send them, or `tonne retire abandon " + c.ExternalID + "`; for a second retirement give another --reference"
		case c.State == journal.Prepared:
			f.what = "this retirement stands in the journal as " + c.ExternalID + ", in the batch " + c.Batch + ", and was not sent"
		case call.status == callNotSent:
			f.what = "this retirement stands in the journal as " + c.ExternalID + " and was not accepted: " + call.why
		}
		if f.what += "; nothing was sent"; !c.Doubtful() {
			f.code = "unsettled"
		}
		return f
	}
	return nil
}

// tellRetired says what of the wish is retired already under its reference.
func (r *retireRun) tellRetired(line *retireLine) {
	n, retired, _ := sums(line.calls, func(c *retireCall) bool { return c.status == callDone })
	switch {
	case n == 0:
	case line.rest() > 0:
		r.warn("%s of %s are retired already under this reference; %s remain", retired.FormatTonnes(), line.wish.Quantity.FormatTonnes(), line.rest().FormatTonnes())
	default:
		r.warn("%s are retired already under this reference, the last at %s; nothing is sent: for a second retirement give another --reference",
			retired.FormatTonnes(), rfc3339(line.calls[len(line.calls)-1].madeAt))
	}
}

// warnOfOthers warns if something else was retired under the reference: a quantity
// that was corrected is retired as a whole, in addition.
func (r *retireRun) warnOfOthers(all []journal.Call) {
	line, retired := r.lines[0], model.Grams(0)
	for _, c := range all {
		if c.State == journal.Done && !retire.SameWish(c.Wish, line.wishText()) {
			retired = retired.AddUpTo(c.Plan.Quantity)
		}
	}
	if retired > 0 && line.rest() > 0 {
		r.warn("%s are retired already under this reference, as another quantity, vintage or customer; this retires %s in addition",
			retired.FormatTonnes(), line.rest().FormatTonnes())
	}
}

// tellSame warns if the same was retired a short while ago: whoever repeats a
// command without a reference retires again.
func (r *retireRun) tellSame(made []journal.Call) {
	const shortly = time.Hour
	var retired model.Grams
	for _, c := range made {
		if c.State == journal.Done && c.MadeAt.After(r.Now().Add(-shortly)) {
			retired = retired.AddUpTo(c.Plan.Quantity)
		}
	}
	if retired > 0 {
		r.warn("%s were retired by the same command within the last hour, and this retires %s more; with a --reference it would not retire twice",
			retired.FormatTonnes(), r.lines[0].wish.Quantity.FormatTonnes())
	}
}

// writeDown writes all calls of a single retirement down before the first is
// sent. The lines of a batch are in its file.
func (r *retireRun) writeDown() error {
	if r.batch != "" {
		return nil
	}
	line := r.lines[0]
	plan := journal.Confirmed{Instead: r.instead, Known: -1}
	if line.reference != "" {
		plan.Known = line.made
	}
	for _, call := range line.calls {
		if call.isPlanned() {
			plan.Calls = append(plan.Calls, r.entry(line, call))
		}
	}
	if err := r.journal.Confirm(plan); err != nil {
		return r.unsent(err)
	}
	for _, call := range line.calls {
		call.neverSent = call.isPlanned()
	}
	return nil
}

// forgetUnused gives up the calls that were written down and not sent, unless
// retire.KeepsRest.
func (r *retireRun) forgetUnused() error {
	calls := r.calls()
	is := func(what func(*retireCall) bool) bool { return slices.ContainsFunc(calls, what) }
	made := is(func(c *retireCall) bool { return c.isMade() && !c.earlier })
	refused := is(func(c *retireCall) bool { return c.status == callRefused && !c.open })
	if r.batch != "" || retire.KeepsRest(made, refused, is(func(c *retireCall) bool { return c.elsewhere })) {
		return nil
	}
	for _, c := range calls {
		if c.earlier || c.status != callPlanned && c.status != callNotSent {
			continue
		}
		err := r.journal.GiveUp(r.sender.Account, c.externalID)
		if err != nil && !errors.Is(err, journal.ErrEnded) && !errors.Is(err, journal.ErrHeld) {
			return r.unsent(err)
		}
		c.neverSent = false
	}
	return nil
}

// stillPlanned is the failure of calls that `tonne retire resume` does not send
// by itself: they were never sent.
func stillPlanned(calls []*retireCall) error {
	_, quantity, _ := sums(calls, func(*retireCall) bool { return true })
	return &failure{
		what: fmt.Sprintf("%s were confirmed and not sent: calls that stand in the journal: %d", quantity.FormatTonnes(), len(calls)),
		todo: "the same command with its --reference plans them anew; `tonne retire resume ID` sends one as it was planned, `tonne retire abandon ID` gives it up", status: statusFailed,
	}
}

// partOf says of which whole a call is a part that was not sent, or is empty.
func partOf(c journal.Call) string {
	whole, ok := retire.WishQuantity(c.Wish)
	if !c.Planned() || !ok {
		return ""
	}
	return fmt.Sprintf("not sent yet: %s of %s", c.Plan.Quantity.FormatTonnes(), whole.FormatTonnes())
}
