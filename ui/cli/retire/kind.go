package retire

import (
	"context"
	"fmt"
	"slices"

	"tonne/api/retire"
	"tonne/model/advice"
	"tonne/ui/cli/journal"
)

// kind has what differs between a batch and a single retirement. Planning and sending do not.
type kind struct {
	repeat onRepeat
	// recallLines reads the earlier calls of the lines and warns of them.
	recallLines func(context.Context) error
	// unsent returns the error of sending, with advice.
	unsent func(error) error
	// of adds the line to the text of its error.
	of func(line *retire.Line, what advice.Text) advice.Text
	// whichProject is the advice for a vintage that several projects have.
	whichProject string
	// behalf is a line of the printed plan. It may be empty.
	behalf string
}

func (r *retireOptions) single(line *retire.Line) kind {
	k := kind{
		recallLines: r.recallSingle, unsent: journal.Unsent, whichProject: "add --project ID",
		of: func(_ *retire.Line, what advice.Text) advice.Text { return what },
	}
	if line.Reference != "" {
		k.repeat = plansRest
	}
	if c := line.Request.Retiree; c.External() {
		k.behalf = fmt.Sprintf("in the name of %s, %s, tax id %s\n\n", c.Name, c.Country, c.TaxID)
	}
	return k
}

func (r *retireOptions) batch() kind {
	return kind{
		repeat: asksAndPlansRest, recallLines: r.recallBatch,
		of: func(l *retire.Line, what advice.Text) advice.Text {
			return advice.Format("%s: %s", l.Reference, what)
		},
		whichProject: "name a sell order in the line, or retire it by itself, with --vintage and --project ID",
		unsent: func(err error) error {
			calls := r.sub.New()
			at := slices.IndexFunc(calls, func(c *retire.Call) bool { return c.Elsewhere })
			if err != nil && at >= 0 {
				return r.elsewhere(calls[at])
			}
			return journal.Unsent(err)
		},
	}
}
