package serve

import (
	"context"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tonne/api/marketplace"
	"tonne/api/marketplace/exchange"
	"tonne/model/localfile"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
)

// requestStates are what --state of requests takes.
var requestStates = []string{
	string(retirement.Open), string(retirement.Closed), string(retirement.InProgress), string(retirement.Complete), string(retirement.NothingToProcess), exchange.AnyState,
}

func (s *operator) requestsCommand() *cobra.Command {
	var filter exchange.WorkFilter
	list := readCommand(s, "list", "List the retirement requests that are not done, or others, oldest first", "requests list --state IN_PROGRESS",
		requestColumns, func(tx exchange.Tx) []exchange.Work { return exchange.Requests(tx, filter) })
	f := list.Flags()
	f.StringVar(&filter.State, "state", "", "only those in the `STATE`: "+strings.Join(requestStates, ", "))
	f.StringVar(&filter.Tenant, "tenant", "", "only those of the tenant with the `NAME`")
	checkState(list, &filter.State, "retirement request", requestStates)
	return s.app.Group("requests", "List retirement requests", "  tonne serve requests list\n  tonne serve requests list --state IN_PROGRESS", list)
}

// checkState refuses a value of --state that is none of the states, in capitals or not.
func checkState(cmd *cobra.Command, state *string, of string, states []string) {
	cmd.PreRunE = command.Do(func(context.Context, *cobra.Command, []string) error {
		typed := *state
		if *state = strings.ToUpper(typed); typed != cmd.Flag("state").DefValue && !slices.Contains(states, *state) {
			return command.Usage("choose one of "+strings.Join(states, ", "), "--state %s is no state of a %s", typed, of)
		}
		return nil
	})
}

func (s *operator) completeCommand() *cobra.Command {
	var by exchange.Registered
	var certificate string
	cmd := changeCommand(s, "complete ID", "Complete a retirement request that is in progress",
		"complete 00m000000000000001 --serial \"ACR-FR-1129-2025-2917-30932 to 35143\" --certificate acr.pdf", command.Irrevocable,
		"`tonne serve requests list --state IN_PROGRESS` names those that can be completed, with their tonnes", requestColumns.Pick("id", "status"),
		func(ctx context.Context, m *marketplace.Marketplace, args []string) (done exchange.Work, sentence string, err error) {
			if certificate != "" {
				if by.Certificate, err = localfile.Read(certificate, marketplace.MaxCertificate); err != nil {
					return done, "", &fs.PathError{Op: "open", Path: certificate, Err: err}
				}
			}
			done.ID, done.Status = args[0], retirement.Complete
			return done, "the request is complete", m.CompleteAs(ctx, args[0], by)
		})
	cmd.Long = "Writes down what the registry says: its serial numbers, which together stand for the tonnes\n" +
		"of the request, and its own certificate. Without a certificate the service prints one. Without\n" +
		"serial numbers it makes some up, but only in a database with demo data."
	cmd.Flags().StringArrayVar(&by.Serials, "serial", nil, "a `SERIAL` number or range of the registry, with =TONNES behind it where its format is not known; repeatable")
	cmd.Flags().StringVar(&certificate, "certificate", "", "the registry's certificate, a PDF `FILE` of at most 8 MiB")
	return cmd
}
