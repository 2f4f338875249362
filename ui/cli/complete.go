package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tonne/model"
	"tonne/model/dbfile"
	"tonne/model/store"
)

// completionLimit is how long a shell waits for what it offers.
const completionLimit = 500 * time.Millisecond

// offerValues offers the values of the flags of a command and of those below it.
// Cobra keeps what it is told here for as long as the process lives.
func (a *app) offerValues(cmd *cobra.Command) {
	fixed := func(values ...string) cobra.CompletionFunc {
		return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	}
	offers := map[string]cobra.CompletionFunc{
		"profile": a.completeProfiles, "vintage": a.completeVintages, "tab": fixed(tabNames...),
		"theme": fixed("auto", "dark", "light", "mono"), "trade-type": fixed("BUY", "SELL"), "by": fixed(model.Groupings()...),
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		offer := offers[f.Name]
		if c, chosen := f.Value.(*choice); chosen {
			offer = fixed(c.names()...)
		}
		if offer != nil {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, offer)
		}
	})
	for _, below := range cmd.Commands() {
		a.offerValues(below)
	}
}

// fromStore offers what the store holds of the marketplace that is configured.
// It never asks the service.
func (a *app) fromStore(offer func(ctx context.Context, s *store.Store, origin string) []string) ([]string, cobra.ShellCompDirective) {
	settings, err := a.settings()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if dbfile.Emptied(a.storePath()) {
		// The command that opens it reports that.
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(context.Background(), completionLimit)
	defer cancel()
	local := a.openStore()
	defer local.Close()
	return offer(ctx, local, string(settings.baseURL)), cobra.ShellCompDirectiveNoFileComp
}

func (a *app) completeProfiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	file, err := a.configFile()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return file.Names(), cobra.ShellCompDirectiveNoFileComp
}

func (a *app) completeProjectIDs(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return a.fromStore(func(ctx context.Context, s *store.Store, origin string) []string {
		var offers []string
		projects, _ := s.Projects(ctx, origin)
		for id, p := range projects {
			offers = append(offers, cobra.CompletionWithDesc(id, p.Name))
		}
		return offers
	})
}

func (a *app) completeVintages(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return a.fromStore(func(ctx context.Context, s *store.Store, origin string) []string {
		var offers []string
		projects, _ := s.Projects(ctx, origin)
		for _, p := range projects {
			for _, v := range p.Vintages {
				offers = append(offers, cobra.CompletionWithDesc(v.ID, p.Name+" "+yearText(int32(v.Year))))
			}
		}
		return offers
	})
}

func (a *app) completeQuote(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.completeVintages(cmd, args, typed)
}

func (a *app) completeRetirements(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return a.fromStore(func(ctx context.Context, s *store.Store, origin string) []string {
		var offers []string
		ledger, _ := s.Ledger(ctx, origin)
		for _, e := range ledger {
			offers = append(offers, cobra.CompletionWithDesc(e.ID, e.Label))
		}
		return offers
	})
}
