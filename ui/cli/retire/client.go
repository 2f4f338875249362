package retire

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/api/retire"
	"tonne/ui/cli/command"
	"tonne/ui/cli/retiring"
	"tonne/ui/cli/terminal"
)

// sendOptions are the flags of a command that sends calls.
type sendOptions struct{ allow, yes, sameTenant bool }

func (o *sendOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.allow, "allow-retire", false, "switch retiring on for this command, as allow_retire = true in the profile does")
	f.BoolVar(&o.yes, "yes", false, "do not ask: retire at once")
	f.BoolVar(&o.sameTenant, "same-tenant", false, "ask again for calls that another API key of the same tenant made")
}

func (o *sendOptions) canConfirm(a *command.App, look string) error {
	if o.yes || terminal.IsTerminal(a.Stdin) {
		return nil
	}
	return command.Usage(look+", then add --yes", "retiring is confirmed at a terminal, and standard input is none")
}

// sender sends calls for a profile that may retire.
type sender struct {
	app      *command.App
	yes      bool
	settings *command.Settings
	client   *api.Client
	flow     *retire.Workflow
	progress *command.Progress
}

func newSender(ctx context.Context, a *command.App, cmd *cobra.Command, o sendOptions) (*sender, error) {
	s := &sender{app: a, yes: o.yes, progress: a.NewProgress()}
	var err error
	if s.settings, err = a.WithKey(); err != nil {
		return nil, err
	}
	allowed := s.settings.Profile.AllowRetire
	if cmd.Flags().Changed("allow-retire") {
		allowed = o.allow
	}
	if !allowed {
		return nil, command.Usage("set allow_retire = true in its profile in "+s.settings.File.Path()+", or add --allow-retire",
			"retiring is not switched on for %s", s.settings.Place())
	}
	if s.flow, err = retiring.Open(ctx, a, s.settings); err != nil {
		return nil, err
	}
	if s.client, err = retiring.ClientThatRetires(a.ClientOptions(s.settings, command.Retries)); err != nil {
		return nil, errors.Join(err, s.flow.Close(terminal.Patience))
	}
	s.flow.Client, s.flow.SameTenant, s.flow.Ledger = s.client, o.sameTenant, retiring.ReferenceLedger{App: a, Origin: string(s.settings.BaseURL)}
	return s, nil
}

func (s *sender) close() {
	s.progress.Clear()
	s.client.Close()
	_ = s.flow.Close(terminal.Patience)
}

func (s *sender) report(p retire.Progress) {
	if p.Tries > 0 {
		s.progress.Tell("asking again after try %d: %v", p.Tries, p.Err)
	}
}
