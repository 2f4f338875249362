package command

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"tonne/model/dbfile"
	"tonne/model/store"
)

// completionLimit is how long a shell waits for what it offers.
const completionLimit = 500 * time.Millisecond

// fromStore offers what the store holds of the marketplace that is configured.
// It never asks the service.
func (a *App) fromStore(offer func(ctx context.Context, s *store.Store, origin string) []string) ([]string, cobra.ShellCompDirective) {
	settings, err := a.Settings()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if dbfile.Emptied(a.storePath()) {
		// The command that opens it reports that.
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(context.Background(), completionLimit)
	defer cancel()
	local := a.OpenStore()
	defer local.Close()
	return offer(ctx, local, string(settings.BaseURL)), cobra.ShellCompDirectiveNoFileComp
}

func (a *App) CompleteProfiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	file, err := a.ConfigFile()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return file.Names(), cobra.ShellCompDirectiveNoFileComp
}

func (a *App) CompleteProjectIDs(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return a.fromStore(func(ctx context.Context, s *store.Store, origin string) []string {
		var offers []string
		projects, _ := s.Projects(ctx, origin)
		for id, p := range projects {
			offers = append(offers, cobra.CompletionWithDesc(id, p.Name))
		}
		return offers
	})
}

func (a *App) CompleteVintages(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return a.fromStore(func(ctx context.Context, s *store.Store, origin string) []string {
		var offers []string
		projects, _ := s.Projects(ctx, origin)
		for _, p := range projects {
			for _, v := range p.Vintages {
				offers = append(offers, cobra.CompletionWithDesc(v.ID, p.Name+" "+YearText(int32(v.Year))))
			}
		}
		return offers
	})
}

func (a *App) CompleteQuote(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.CompleteVintages(cmd, args, typed)
}

func (a *App) CompleteRetirements(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return a.fromStore(func(ctx context.Context, s *store.Store, origin string) []string {
		var offers []string
		ledger, _ := s.Ledger(ctx, origin)
		for _, e := range ledger {
			offers = append(offers, cobra.CompletionWithDesc(e.ID, e.Label))
		}
		return offers
	})
}
