package serve

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tonne/api/marketplace"
	"tonne/api/marketplace/exchange"
	"tonne/model"
	"tonne/ui/cli/command"
)

func (s *run) requestsCommand() *cobra.Command {
	return s.Group("requests", "List retirement requests", "  tonne serve requests list\n  tonne serve requests list --state IN_PROGRESS --older-than 72h",
		s.listRequestsCommand())
}

// requestStates are what --state of requests takes.
var requestStates = []string{
	string(model.Open), string(model.Closed), string(model.InProgress), string(model.Complete), string(model.NothingToProcess), exchange.AnyState,
}

func (s *run) listRequestsCommand() *cobra.Command {
	var filter exchange.WorkFilter
	var age time.Duration
	cmd := listCommand(s, "list", "List the retirement requests that are not done, or others, oldest first", "requests list --state IN_PROGRESS", command.Reads,
		requestColumns, func(ctx context.Context, m *marketplace.Marketplace, _ []string) ([]exchange.Work, error) {
			chosen := filter
			chosen.State = strings.ToUpper(chosen.State)
			if chosen.State != "" && !slices.Contains(requestStates, chosen.State) {
				return nil, command.Usage("choose one of "+strings.Join(requestStates, ", "), "--state %s is no state of a retirement request", filter.State)
			}
			if age > 0 {
				chosen.Before = m.Now().Add(-age)
			}
			return marketplace.Query(ctx, m, "list retirement requests", func(tx exchange.Tx) []exchange.Work { return exchange.Requests(tx, chosen) })
		})
	f := cmd.Flags()
	f.StringVar(&filter.State, "state", "", "only those in the `STATE`: "+strings.Join(requestStates, ", "))
	f.StringVar(&filter.Tenant, "tenant", "", "only those of the tenant with the `NAME`")
	f.DurationVar(&age, "older-than", 0, "only those made so long ago or longer, such as 72h")
	return cmd
}
