package retire

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"tonne/api/retire"
	"tonne/model"
	"tonne/model/advice"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/journal"
)

func (r *retireOptions) recall(ctx context.Context) error {
	r.sub.Steps, r.sub.Allow = r.flow, r.stillAffordable
	unsettled, err := r.flow.Unsettled(ctx)
	if err != nil {
		return err
	}
	resumes := func(c retire.Call) bool { return r.repeat == asksAndPlansRest && c.Batch == r.sub.Batch }
	if others := slices.DeleteFunc(retire.NotKnown(unsettled), resumes); len(others) > 0 {
		r.app.Warn("earlier calls with unknown outcome: %d; see %s", len(others), pending)
	}
	return r.recallLines(ctx)
}

func (r *retireOptions) recallSingle(ctx context.Context) error {
	err := r.sub.Recall(ctx)
	if err == nil || r.sub.Lines[0].Reference == "" {
		r.warnOfRetired()
	}
	return journal.Unsent(err)
}

// warnOfRetired warns of earlier retirements. A command with a reference counts them, unless
// the quantity, vintage or customer differs. A command without a reference retires again.
func (r *retireOptions) warnOfRetired() {
	line := r.sub.Lines[0]
	wish, left := line.Request.Quantity.FormatTonnes(), line.Left()
	var counted []retire.Call
	made := func(same bool, since time.Time) (retired model.Grams, last time.Time) {
		for _, c := range line.Made {
			if c.State == retire.Done && c.MadeAt.After(since) && same == c.Requests(line.Request) {
				retired, last, counted = retired.Plus(c.Plan.Quantity), c.MadeAt, append(counted, c)
			}
		}
		return retired, last
	}
	retired, last := made(true, time.Time{})
	at := r.otherAddresses(counted)
	others, _ := made(false, time.Time{})
	recently, _ := made(true, r.app.Now().Add(-time.Hour))
	switch {
	case line.Reference == "" && recently > 0:
		r.app.Warn("the same command retired %s within the last hour, and this run retires %s more; use --reference to "+
			"avoid retiring twice", recently.FormatTonnes(), wish)
	case line.Reference == "" || retired == 0:
	case left > 0:
		r.app.Warn("%s of %s are already retired under this reference%s; %s remain", retired.FormatTonnes(), wish, at,
			left.FormatTonnes())
	default:
		r.app.Warn("%s are already retired under this reference%s, the last at %s; nothing is sent: for a second "+
			"retirement give another --reference",
			retired.FormatTonnes(), at, command.Rfc3339(last))
	}
	if line.Reference != "" && others > 0 && left > 0 {
		r.app.Warn("%s are already retired under this reference, with another quantity, vintage or customer; this run "+
			"retires %s in addition", others.FormatTonnes(), left.FormatTonnes())
	}
}

// otherAddresses returns " at ADDRESS" for calls that were made at other addresses of the marketplace.
func (r *retireOptions) otherAddresses(calls []retire.Call) string {
	var at []string
	for _, c := range calls {
		if c.Origin != string(r.settings.BaseURL) && !slices.Contains(at, c.Origin) {
			at = append(at, c.Origin)
		}
	}
	if len(at) == 0 {
		return ""
	}
	return " at " + strings.Join(at, ", ")
}

func (r *retireOptions) recallBatch(ctx context.Context) error {
	all, err := r.flow.Calls(ctx, retire.OfAccount)
	if err != nil {
		return err
	}
	changed := r.sub.RecallBatch(all)
	if err := r.checkElsewhere(ctx, all); err != nil {
		return err
	}
	if len(changed) > 0 {
		return command.Usage("restore these lines, or give the changed ones a new reference",
			"lines were changed after their calls were made: %s; nothing was sent", filing.SomeOf(changed))
	}
	r.warnOfDone()
	if r.gone = r.sub.GoneFrom(all); len(r.gone) > 0 {
		r.app.Warn("%s unsettled, and the lines are no longer in the file; nothing is sent for them",
			model.Count(len(r.gone), "call is", "calls are"))
	}
	if err := r.sub.Unsettled(); err != nil {
		return journal.Unsent(err)
	}
	return r.checkSame()
}

func (r *retireOptions) warnOfDone() {
	done, last := 0, time.Time{}
	var counted []retire.Call
	for _, line := range r.sub.Lines {
		if line.Left() > 0 || slices.ContainsFunc(line.Past, func(c *retire.Call) bool { return c.State != retire.Done }) {
			continue
		}
		done++
		for _, c := range line.Past {
			last, counted = slices.MaxFunc([]time.Time{last, c.MadeAt}, time.Time.Compare), append(counted, *c)
		}
	}
	if done > 0 {
		r.app.Warn("%d of %s already retired%s, the last at %s; a retired line is not sent again. A new batch needs "+
			"another file name",
			done, model.Count(len(r.sub.Lines), "line is", "lines are"), r.otherAddresses(counted), command.Rfc3339(last))
	}
}

func (r *retireOptions) goneUnsettled() error {
	var lines []string
	code := "unsettled"
	for _, c := range r.gone {
		lines = append(lines, fmt.Sprintf("%s (%s)", c.Reference, c.ExternalID))
		if c.Doubtful() {
			code = "outcome_unknown"
		}
	}
	return &command.Failure{
		What: advice.Format("these calls are unsettled, and their lines are no longer in the file: %s",
			filing.SomeOf(lines)),
		Todo: advice.Format("put the lines back and run it again, or run %s, which sends the same ids",
			advice.Tonne("retire resume")),
		Status: command.StatusUnreachable, Code: code,
	}
}

// checkSame warns of lines that equal a single retirement or lines of another batch, which
// may be the same file under another name. If the user would not see the warning before
// confirming, checkSame returns an error.
func (r *retireOptions) checkSame() error {
	reuse := r.sub.Reuse()
	if len(reuse.Other) > 0 {
		r.app.Warn("an earlier batch or command has retired, or may have retired, another request under the reference of "+
			"%s; this run retires in addition",
			filing.SomeOf(reuse.Other))
	}
	if len(reuse.Same) == 0 {
		return nil
	}
	last := reuse.Last
	by, todo := "lines that the batch "+last.Batch, "give the file its name again"
	if last.Batch == "" {
		by, todo = "the lines that a command without a batch",
			"take the lines out of the file, or give them another reference"
	}
	what := fmt.Sprintf("%d of %s the same reference and request as %s retired, or may have retired, at %s",
		len(reuse.Same), model.Count(len(r.sub.Lines), "line has", "lines have"), by, command.Rfc3339(last.MadeAt))
	if r.yes && !r.takeOver && !r.dryRun {
		return command.Usage(todo+"; if these are new retirements, confirm at a terminal or add --take-over",
			"%s; nothing was sent", what)
	}
	r.app.Warn("%s: if they are the same retirements, %s", what, todo)
	return nil
}

// The service knows the outcome of an id, not of a line. A refused line
// is sent with a new id, which another journal does not know.
// It would send the first id and retire the line again. A batch that
// another journal serves is therefore continued only with --take-over.

const takeOverAdvice = "run it on the machine where the batch was started; if that is no longer possible, compare " +
	"the requests with the lines, correct the batch, and add --take-over"

func (r *retireOptions) elsewhere(c *retire.Call) error {
	return command.Failed(takeOverAdvice,
		"%s was already retired by a journal other than %s: request %s, call %s; nothing after it is sent",
		c.Reference, journal.Path(r.app), c.RequestID, c.ExternalID)
}

// checkElsewhere returns an error if another journal serves the batch, according to the calls
// of this journal or to an existing results file.
func (r *retireOptions) checkElsewhere(ctx context.Context, all []retire.Call) error {
	if r.takeOver {
		return nil
	}
	if at := slices.IndexFunc(all, func(c retire.Call) bool { return c.Elsewhere && r.sub.IsOf(c) }); at >= 0 {
		return r.elsewhere(&all[at])
	}
	results := r.results
	file, err := os.Open(results)
	switch {
	case results == "" || errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) == 0 || strings.Join(rows[0], ",") != strings.Join(resultColumns.Names(), ",") {
		return command.Usage("name another file with --results, or move this one away",
			"%s already exists and does not contain the results of a batch", results)
	}
	for _, row := range rows[1:] {
		id, status := row[1], retire.Status(row[2])
		if status == retire.StatusNotSent || status == retire.StatusPlanned {
			continue
		}
		switch call, err := r.flow.Call(ctx, id); {
		case errors.Is(err, retire.ErrNoCall):
			return command.Failed(takeOverAdvice,
				"%s contains the call %s, which is not in the journal %s of this machine and profile; nothing was sent", results,
				id, journal.Path(r.app))
		case err != nil:
			return err
		case !r.sub.IsOf(call):
			return command.Usage("name another file with --results", "%s contains the results of the batch %s", results,
				call.Batch)
		}
	}
	return nil
}
