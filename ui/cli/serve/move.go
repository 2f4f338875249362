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
		Short: "Copy everything to an empty database and verify the copy",
		Long: "Copies a snapshot of a database to another one, creating it if necessary, then reads the copy\n" +
			"back and compares counts, sums and hashes of all tables. After a failure the target is empty,\n" +
			"and you can repeat the command. Stop the service first: later changes are not copied.",
		Example: "  tonne serve move --from /var/lib/tonne/market.db --to 'postgres://tonne@db1/market'\n" +
			"  tonne serve move --from 'postgres://tonne@db1/market' --to /srv/tonne/market.db",
		RunE: command.Do(func(ctx context.Context, _ *cobra.Command, _ []string) error {
			if from != "" && s.db != "" && from != s.db {
				return command.Usage("leave out --db: --from names the database to copy",
					"--db and --from name different databases")
			}
			from := cmp.Or(from, s.db)
			if from == "" || to == "" {
				return command.Usage("give both: --from DATABASE --to DATABASE", "--from or --to is missing")
			}
			moved, err := marketplace.Move(ctx, from, to)
			if errors.Is(err, exchange.ErrNotEmpty) {
				return command.Failed("name another with --to", "%s is not empty", marketplace.MaskAddress(to))
			}
			if err != nil {
				return notMoved(from, to, err)
			}
			return listing.NewFormats(s.app, movedColumns, slices.Values(moved)).Print(format)
		}),
	}
	cmd.Flags().StringVar(&from, "from", "", "`DATABASE` to copy: a file, or postgres://… (default --db)")
	cmd.Flags().StringVar(&to, "to", "", "`DATABASE` to copy to: a new or empty file, or postgres://…")
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
	return openFailure("--from and --to", marketplace.MaskAddress(from)+" or "+marketplace.MaskAddress(to), err)
}
