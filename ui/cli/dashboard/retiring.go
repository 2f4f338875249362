package dashboard

import (
	"context"
	"os"
	"sync"

	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/api/retire"
	"tonne/ui"
	"tonne/ui/cli/command"
	"tonne/ui/cli/retiring"
	"tonne/ui/cli/terminal"
)

// AllowRetireFlag is the flag that switches retiring on or off for one run.
const AllowRetireFlag = "allow-retire"

// TakeAllowRetire reads --allow-retire, if it was given.
func (d *Dashboard) TakeAllowRetire(cmd *cobra.Command) {
	if cmd.Flags().Changed(AllowRetireFlag) {
		allow, err := cmd.Flags().GetBool(AllowRetireFlag)
		allow = allow && err == nil
		d.allowRetire = &allow
	}
}

// deskPatience is how long the end of a dashboard waits for a call that is on
// its way: a signal gives it no more.
const deskPatience = terminal.Patience / 2

// LetRetire gives the dashboard a desk if retiring is switched on. Otherwise no
// client that can retire is made. leave ends its use.
func (d *Dashboard) LetRetire(o *ui.Options, s *command.Settings) (leave func(), err error) {
	allowed := s.Profile.AllowRetire
	if d.allowRetire != nil {
		allowed = *d.allowRetire
	}
	flow := retiring.Workflow(d.App, s)
	if !allowed {
		var mu sync.Mutex
		var seen os.FileInfo
		o.Unfinished = func(ctx context.Context) (int, error) {
			mu.Lock()
			defer mu.Unlock()
			file, _ := os.Stat(flow.Path)
			if seen != nil && !os.SameFile(seen, file) {
				_ = flow.Close(deskPatience)
				flow = retiring.Workflow(d.App, s)
			}
			seen = file
			calls, err := flow.Unsettled(ctx)
			return len(retire.NotKnown(calls)), retiring.Failure(d.App, err)
		}
		return func() {
			mu.Lock()
			defer mu.Unlock()
			_ = flow.Close(deskPatience)
		}, nil
	}
	client, err := retiring.ClientThatRetires(d.ClientOptions(s, command.Retries))
	if err != nil {
		return nil, err
	}
	flow.Client, flow.Ledger = client, retiring.ReferenceLedger{App: d.App, Origin: string(s.BaseURL)}
	o.Retire = flow
	return func() { LeaveDesk(flow, client) }, nil
}

// LeaveDesk ends the use of a workflow. A call that does not end in time stays in
// the journal as that of a program that was killed.
func LeaveDesk(flow *retire.Workflow, client *api.Client) {
	_ = flow.Close(deskPatience)
	client.Close()
}
