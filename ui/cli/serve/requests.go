package serve

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tonne/api/marketplace"
	"tonne/api/marketplace/exchange"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
)

func (s *operator) requestsCommand() *cobra.Command {
	return s.app.Group("requests", "List retirement requests", "  tonne serve requests list\n  tonne serve requests list --state IN_PROGRESS",
		s.listRequestsCommand())
}

// requestStates are what --state of requests takes.
var requestStates = []string{
	string(retirement.Open), string(retirement.Closed), string(retirement.InProgress), string(retirement.Complete), string(retirement.NothingToProcess), exchange.AnyState,
}

func (s *operator) listRequestsCommand() *cobra.Command {
	var filter exchange.WorkFilter
	cmd := listCommand(s, "list", "List the retirement requests that are not done, or others, oldest first", "requests list --state IN_PROGRESS", command.Reads,
		requestColumns, func(ctx context.Context, m *marketplace.Marketplace, _ []string) ([]exchange.Work, error) {
			chosen := filter
			chosen.State = strings.ToUpper(chosen.State)
			if chosen.State != "" && !slices.Contains(requestStates, chosen.State) {
				return nil, command.Usage("choose one of "+strings.Join(requestStates, ", "), "--state %s is no state of a retirement request", filter.State)
			}
			return exchange.Read(ctx, m, func(tx exchange.Tx) []exchange.Work { return exchange.Requests(tx, chosen) })
		})
	f := cmd.Flags()
	f.StringVar(&filter.State, "state", "", "only those in the `STATE`: "+strings.Join(requestStates, ", "))
	f.StringVar(&filter.Tenant, "tenant", "", "only those of the tenant with the `NAME`")
	return cmd
}
