package retire

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/api/retire"
	"tonne/model"
	"tonne/model/advice"
	"tonne/ui/cli/command"
	"tonne/ui/cli/journal"
	"tonne/ui/cli/retiring"
	"tonne/ui/cli/terminal"
)

func (s *sender) confirm(ctx context.Context, calls []*retire.Call) error {
	all := sum(calls, isAny)
	costs := all.cost.FormatDollars()
	if all.most > all.cost {
		costs += ", at most " + all.most.FormatDollars() + " if another user empties the wallet first"
	}
	q := typeQuantity(all.quantity, "retire "+retire.FormatQuantity(all.quantity))
	q.Text = fmt.Sprintf("This cannot be undone at %s. It costs %s.", s.app.Clean(s.settings.Place()), costs)
	return s.app.Ask(ctx, s.yes, q)
}

// typeQuantity returns a question that is answered by typing a quantity.
func typeQuantity(quantity model.Grams, what string) command.Question {
	return command.Question{
		Word: retire.TypedQuantity(quantity), What: what, Not: "nothing was sent: the quantity was not confirmed",
		Accepts: func(answer string) bool {
			got, err := model.ParseQuantity(answer, model.UnknownGrams)
			return err == nil && got == quantity
		},
	}
}

func (s *sender) resume(ctx context.Context, calls []*retire.Call) error {
	open := slices.DeleteFunc(slices.Clone(calls), func(c *retire.Call) bool { return !c.Open() })
	if len(open) == 0 {
		return nil
	}
	if !s.yes {
		fmt.Fprintf(s.app.Stderr, "Calls of an earlier run to send with the same ids: %d.\n", len(open))
	}
	if err := s.confirm(ctx, open); err != nil {
		return err
	}
	return journal.Unsent(retire.Resume(ctx, s.flow, open, s.report))
}

func (s *sender) remember(ctx context.Context, calls []*retire.Call) {
	s.app.ClearProgress()
	if err := s.flow.Remember(ctx, calls); err != nil {
		s.app.Warn("the requests were not entered in the ledger: %v", err)
	}
}

func unfinished(ctx context.Context, calls []*retire.Call, after *runAdvice) error {
	unknown, refused, unsent := with(calls, retire.StatusUnknown), with(calls, retire.StatusRefused),
		with(calls, retire.StatusNotSent)
	var err error
	switch {
	case len(unknown)+len(refused)+len(unsent) == 0:
		return nil
	case ctx.Err() != nil && len(unknown)+len(unsent) > 0:
		return context.Cause(ctx)
	case len(unknown) > 0 && !slices.ContainsFunc(calls, (*retire.Call).Resumable):
		err = leftOpen("%d of %d calls were abandoned with an unknown outcome: %s", len(unknown), len(calls),
			unknown[0].ExternalID)
	case len(unknown) > 0:
		err = leftOpen("the outcome of %d of %d calls is unknown: %s", len(unknown), len(calls), unknown[0].Remark())
	case len(refused) > 0:
		r := refused[0].Outcome().Refusal
		todo := r.Todo
		if r.OtherOrder {
			todo += ": leave --order out, or name another one"
		}
		err = command.Unmet("retire_refused", todo, "%d of %d calls were refused: %s (%s)", len(refused), len(calls), r.What,
			refused[0].Remark())
	case unsent[0].Err != nil:
		err = unsent[0].Err
	default:
		err = command.Failed("", "%d of %d calls were not sent", len(unsent), len(calls))
	}
	return after.advised(err)
}

func leftOpen(format string, args ...any) error {
	return &command.Failure{What: advice.Format(format, args...), Status: command.StatusUnreachable,
		Code: "outcome_unknown"}
}

func with(calls []*retire.Call, status retire.Status) []*retire.Call {
	return slices.DeleteFunc(slices.Clone(calls), func(c *retire.Call) bool { return c.Status() != status })
}

// sender sends calls for a profile that may retire.
type sender struct {
	app                    *command.App
	allow, yes, sameTenant bool
	settings               *command.Settings
	client                 *api.Retirer
	flow                   *retire.Workflow
}

func (s *sender) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&s.allow, "allow-retire", false, "allow this command to retire, as allow_retire = true in the profile does")
	command.YesFlag(cmd, &s.yes, "retire without asking for confirmation")
	f.BoolVar(&s.sameTenant, "same-tenant", false, "also resume calls that another API key of the same tenant made")
}

func (s *sender) open(ctx context.Context, cmd *cobra.Command) (err error) {
	if s.settings, err = s.app.WithKey(); err != nil {
		return err
	}
	allowed := s.settings.Profile.AllowRetire
	if cmd.Flags().Changed("allow-retire") {
		allowed = s.allow
	}
	if !allowed {
		return command.Usage("set allow_retire = true in its profile in "+s.settings.File.Path()+", or add --allow-retire",
			"retiring is not allowed for %s", s.settings.Place())
	}
	if s.flow, err = retiring.Open(ctx, s.app, s.settings); err != nil {
		return err
	}
	if s.client, err = retiring.ClientThatRetires(s.app.ClientOptions(s.settings, command.Retries)); err != nil {
		return errors.Join(err, s.flow.Close(terminal.Patience))
	}
	s.flow.Client, s.flow.SameTenant = s.client, s.sameTenant
	return nil
}

func (s *sender) close() {
	s.app.ClearProgress()
	s.client.Close()
	_ = s.flow.Close(terminal.Patience)
}

func (s *sender) report(p retire.Progress) {
	if p.Tries > 0 {
		s.app.ShowProgress("sending again after attempt %d: %v", p.Tries, p.Err)
	}
}
