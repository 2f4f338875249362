package retire

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tonne/api/retire"
	"tonne/model"
	"tonne/ui/cli/command"
)

// A single retirement with a reference is known by it, as a line of a batch is:
// the same command counts what the journal has for the same wish and plans the
// rest. Without one each command is a wish of its own.

func (r *run) recallSingle(ctx context.Context) error {
	err := r.Recall(ctx)
	if r.Lines[0].Reference == "" {
		r.tellSame()
	}
	if unsettled, ok := errors.AsType[*retire.UnsettledError](err); ok {
		return unsettledFailure(unsettled.Call)
	}
	if err != nil {
		return alreadyRetired(err)
	}
	if r.Lines[0].Reference == "" {
		return nil
	}
	r.tellRetired(r.Lines[0])
	r.warnOfOthers()
	return nil
}

func unsettledFailure(c retire.Call) error {
	f := &command.Failure{
		What: "it is not known whether this retirement was carried out as " + c.ExternalID, Status: command.StatusUnreachable, Code: "outcome_unknown",
		Todo: "run `tonne retire resume " + c.ExternalID + "`; for a second retirement give another --reference",
	}
	switch {
	case c.GivenUp:
		f.What = c.ExternalID + " was given up while it was not known whether it was carried out"
		f.Todo = "ask the operator of the service, and say it: `tonne retire abandon " + c.ExternalID + " --carried-out REQUEST` or `--not-carried-out`; for a second retirement give another --reference"
	case c.Confirmed():
		f.What = fmt.Sprintf("%s of this retirement were confirmed and not sent: they stand in the journal as %s", c.Plan.Quantity.FormatTonnes(), c.ExternalID)
		f.Todo = "run `tonne retire resume " + c.ExternalID + "` to send them, or `tonne retire abandon " + c.ExternalID + "`; for a second retirement give another --reference"
	case c.State == retire.Prepared:
		f.What = "this retirement stands in the journal as " + c.ExternalID + ", in the batch " + c.Batch + ", and was not sent"
	case !c.Doubtful():
		f.What = "this retirement stands in the journal as " + c.ExternalID + " and was not accepted: " + retire.Remark(c)
	}
	if f.What += "; nothing was sent"; !c.Doubtful() {
		f.Code = "unsettled"
	}
	return f
}

func (r *run) tellRetired(line *retire.Line) {
	n, retired, _ := sums(line.Past, r.has(callDone))
	switch {
	case n == 0:
	case line.Left() > 0:
		r.Warn("%s of %s are retired already under this reference; %s remain", retired.FormatTonnes(), line.Request.Quantity.FormatTonnes(), line.Left().FormatTonnes())
	default:
		r.Warn("%s are retired already under this reference, the last at %s; nothing is sent: for a second retirement give another --reference",
			retired.FormatTonnes(), command.Rfc3339(line.Past[len(line.Past)-1].MadeAt))
	}
}

func madeDone(line *retire.Line, same bool, since time.Time) (retired model.Grams) {
	for _, c := range line.Made {
		if c.State == retire.Done && c.MadeAt.After(since) && same == retire.SameRequest(c.Request, retire.RequestText(line.Request)) {
			retired = retired.AddUpTo(c.Plan.Quantity)
		}
	}
	return retired
}

// warnOfOthers warns if something else was retired under the reference: a quantity
// that was corrected is retired as a whole, in addition.
func (r *run) warnOfOthers() {
	line := r.Lines[0]
	if retired := madeDone(line, false, time.Time{}); retired > 0 && line.Left() > 0 {
		r.Warn("%s are retired already under this reference, as another quantity, vintage or customer; this retires %s in addition",
			retired.FormatTonnes(), line.Left().FormatTonnes())
	}
}

// tellSame warns if the same was retired a short while ago: a command without a
// reference retires again each time.
func (r *run) tellSame() {
	if retired := madeDone(r.Lines[0], true, r.Now().Add(-time.Hour)); retired > 0 {
		r.Warn("%s were retired by the same command within the last hour, and this retires %s more; with a --reference it would not retire twice",
			retired.FormatTonnes(), r.Lines[0].Request.Quantity.FormatTonnes())
	}
}

func stillPlanned(calls []*retire.Call) error {
	_, quantity, _ := sums(calls, isAny)
	return &command.Failure{
		What: fmt.Sprintf("%s were confirmed and not sent: calls that stand in the journal: %d", quantity.FormatTonnes(), len(calls)),
		Todo: "the same command with its --reference plans them anew; `tonne retire resume ID` sends one as it was planned, `tonne retire abandon ID` gives it up", Status: command.StatusFailed,
	}
}

func partOf(c retire.Call) string {
	whole, ok := retire.RequestQuantity(c.Request)
	if !c.Confirmed() || !ok {
		return ""
	}
	return fmt.Sprintf("not sent yet: %s of %s", c.Plan.Quantity.FormatTonnes(), whole.FormatTonnes())
}
