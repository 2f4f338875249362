package serve

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"tonne/api/marketplace"
	"tonne/api/marketplace/exchange"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
)

func (s *operator) completeCommand() *cobra.Command {
	var by exchange.Registered
	var certificate string
	cmd := changeCommand(s, "complete ID", "Complete a retirement request that is in progress",
		"complete 00m000000000000001 --serial \"ACR-FR-1129-2025-2917-30932 to 35143\" --certificate acr.pdf", command.Irrevocable,
		requestColumns.Pick("id", "status"), func(ctx context.Context, m *marketplace.Marketplace, args []string) (done exchange.Work, sentence string, err error) {
			said := by
			if certificate != "" {
				if said.Certificate, err = readCertificate(certificate); err != nil {
					return done, "", err
				}
			}
			done.ID, done.Status = args[0], retirement.Complete
			err = s.notDone(m.CompleteAs(ctx, args[0], said), "`tonne serve requests list --state IN_PROGRESS` names those that can be completed, with their tonnes")
			return done, "the request is complete", err
		})
	cmd.Long = "Writes down what the registry says: its serial numbers, which together stand for the tonnes\n" +
		"of the request, and its own certificate. Without a certificate the service prints one. Without\n" +
		"serial numbers it makes some up, but only in a database with demo data."
	cmd.Flags().StringArrayVar(&by.Serials, "serial", nil, "a `SERIAL` number or range of the registry, with =TONNES behind it where its format is not known; repeatable")
	cmd.Flags().StringVar(&certificate, "certificate", "", "the registry's certificate, a PDF `FILE` of at most 8 MiB")
	return cmd
}

func readCertificate(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, marketplace.MaxCertificate+1))
}
