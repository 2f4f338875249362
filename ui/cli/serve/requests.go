package serve

import (
	"context"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tonne/api/marketplace"
	"tonne/api/marketplace/exchange"
	"tonne/model/advice"
	"tonne/model/file/localfile"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
)

// requestStates are the values of --state of requests.
var requestStates = []string{
	string(retirement.Open), string(retirement.Closed), string(retirement.InProgress), string(retirement.Complete),
	string(retirement.NothingToProcess), exchange.AnyState,
}

func (s *operator) requestsCommand() *cobra.Command {
	var filter exchange.WorkFilter
	list := tenantCommand(s, &filter.Tenant,
		"List retirement requests, oldest first: the unfinished ones, or those in --state",
		"requests list --state IN_PROGRESS",
		requestColumns, func(tx exchange.Tx) []exchange.Work { return exchange.Requests(tx, filter) })
	f := list.Flags()
	f.StringVar(&filter.State, "state", "", "only those in `STATE`: "+strings.Join(requestStates, ", "))
	f.StringVar(&filter.Tenant, "tenant", "", "only those of the tenant `NAME`")
	checkState(list, &filter.State, "retirement request", requestStates)
	return s.app.Group("requests", "List retirement requests",
		"  tonne serve requests list\n  tonne serve requests list --state IN_PROGRESS", list)
}

// checkState refuses an unknown value of --state, ignoring case.
func checkState(cmd *cobra.Command, state *string, of string, states []string) {
	cmd.PreRunE = command.Do(func(context.Context, *cobra.Command, []string) error {
		typed := *state
		if *state = strings.ToUpper(typed); typed != cmd.Flag("state").DefValue && !slices.Contains(states, *state) {
			return command.Usage("choose one of "+strings.Join(states, ", "), "--state %s is not a state of a %s", typed, of)
		}
		return nil
	})
}

func (s *operator) completeCommand() *cobra.Command {
	var by exchange.Registered
	var certificate string
	cmd := changeCommand(s, "complete ID", "Complete a retirement request that is in progress",
		"complete 00m000000000000001 --serial \"ACR-FR-1129-2025-2917-30932 to 35143\" --certificate acr.pdf",
		command.Irrevocable,
		advice.Format("%s lists the requests that can be completed, with their tonnes",
			advice.Tonne("serve requests list --state IN_PROGRESS")),
		requestColumns.Pick("id", "status"),
		func(ctx context.Context, m *marketplace.Marketplace, args []string) (done exchange.Work, sentence string,
			err error) {
			if certificate != "" {
				if by.Certificate, err = localfile.Read(certificate, marketplace.MaxCertificate); err != nil {
					return done, "", &fs.PathError{Op: "open", Path: certificate, Err: err}
				}
			}
			done.ID, done.Status = args[0], retirement.Complete
			return done, "the request is complete", m.CompleteAs(ctx, args[0], by)
		})
	cmd.Long = "Records the registry's result: the serial numbers, which must add up to the tonnes of the\n" +
		"request, and the registry's certificate. Without a certificate, the service generates one.\n" +
		"Serial numbers may be left out only in a database with demo data, where they are invented."
	cmd.Flags().StringArrayVar(&by.Serials, "serial", nil,
		"a `SERIAL` number or range of the registry, followed by =TONNES if its format is unknown; repeatable")
	cmd.Flags().StringVar(&certificate, "certificate", "", "the registry's certificate, a PDF `FILE` of at most 8 MiB")
	return cmd
}
