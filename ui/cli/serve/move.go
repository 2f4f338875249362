package serve

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"tonne/api/marketplace"
	"tonne/api/marketplace/exchange"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/output"
)

func (s *operator) moveCommand() *cobra.Command {
	var from, to string
	var format output.Format
	cmd := &cobra.Command{
		Use:   "move --from DATABASE --to DATABASE",
		Short: "Copy everything into an empty database, and compare",
		Long: "Copies one state of a database into another, which is made where it is not there, reads it\n" +
			"back and compares counts, sums and hashes of all tables. After a failure the target is empty,\n" +
			"and the command can be repeated. End the service first: what it does afterwards is not moved.",
		Example: "  tonne serve move --from /var/lib/tonne/market.db --to 'postgres://tonne@db1/market'\n" +
			"  tonne serve move --from 'postgres://tonne@db1/market' --to /srv/tonne/market.db",
		RunE: command.Do(func(ctx context.Context, _ *cobra.Command, _ []string) error {
			if from != "" && s.db != "" && from != s.db {
				return command.Usage("name what is moved with --from alone", "--db and --from name different databases")
			}
			from := cmp.Or(from, s.db)
			if from == "" || to == "" {
				return command.Usage("give --from and --to", "there is nothing to move, or nowhere to move it to")
			}
			moved, err := marketplace.Move(ctx, from, to)
			if errors.Is(err, exchange.ErrNotEmpty) {
				return command.Failed("name another with --to", "%s is not empty", databaseName(to))
			}
			if err != nil {
				return notMoved(from, to, err)
			}
			return listing.NewFormats(s.app, movedColumns, slices.Values(moved)).Print(format)
		}),
	}
	cmd.Flags().StringVar(&from, "from", "", "`DATABASE` to copy: a file, or postgres://… (default the one that --db names)")
	cmd.Flags().StringVar(&to, "to", "", "`DATABASE` to copy into: a file that is empty or not there, or postgres://…")
	s.app.Describe(cmd, command.Description{Effect: command.WritesLocal})
	s.app.SelectionFlags(cmd)
	prints(s, cmd, &format, movedColumns, "[].")
	return cmd
}

func notMoved(from, to string, err error) error {
	var open *marketplace.OpenError
	switch {
	case errors.As(err, &open) && open.Path == to:
		return openFailure("--to", to, open.Err)
	case errors.As(err, &open):
		return openFailure("--from", from, open.Err)
	case (marketplace.OnServer(from) || marketplace.OnServer(to)) && !errors.Is(err, os.ErrNotExist):
		return serverFailure("--from and --to", err)
	}
	return openFailure("--from and --to", databaseName(from)+" or "+databaseName(to), err)
}
