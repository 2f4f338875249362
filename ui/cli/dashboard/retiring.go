package dashboard

import (
	"context"
	"errors"

	"tonne/api"
	"tonne/api/retire"
	"tonne/ui"
	"tonne/ui/cli/command"
	"tonne/ui/cli/retiring"
	"tonne/ui/cli/terminal"
)

// deskPatience is how long the end of a dashboard waits for a call in
// flight. A signal does not extend it.
const deskPatience = terminal.Patience / 2

// LetRetire gives the dashboard a workflow for retiring if it is allowed. Otherwise no
// client that can retire is created. leave ends its use.
func (d *Dashboard) LetRetire(o *ui.Options, s *command.Settings) (leave func(), err error) {
	allowed := s.Profile.AllowRetire
	if given := d.AllowRetire; given != nil && given.Changed {
		allowed = given.Value.String() == "true"
	}
	flow := retiring.Workflow(d.App, s)
	if !allowed {
		o.Unfinished = func(ctx context.Context) (int, error) {
			// The journal may be another file by now.
			read := retiring.Workflow(d.App, s)
			calls, err := read.Unsettled(ctx)
			return len(retire.NotKnown(calls)), errors.Join(retiring.Failure(err), read.Close(deskPatience))
		}
		return func() {}, nil
	}
	client, err := retiring.ClientThatRetires(d.App.ClientOptions(s, command.Retries))
	if err != nil {
		return nil, err
	}
	flow.Client = client
	o.Retire = flow
	return func() { LeaveDesk(flow, client) }, nil
}

// LeaveDesk ends the use of a workflow. A call that does not finish in time stays in
// the journal as after a crash.
func LeaveDesk(flow *retire.Workflow, client *api.Client) {
	_ = flow.Close(deskPatience)
	client.Close()
}
