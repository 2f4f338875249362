package command

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"tonne/model/file/dbfile"
	"tonne/model/file/store"
)

const completionLimit = 500 * time.Millisecond

// Complete offers values from the local store that may begin with what was typed. It never
// queries the service.
func (a *App) Complete(offer func(ctx context.Context, s *store.Store, origin,
	typed string) []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		settings, err := a.Settings()
		// A reset store is reported by the command that opens it.
		if err != nil || dbfile.Emptied(a.storePath()) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx, cancel := context.WithTimeout(context.Background(), completionLimit)
		defer cancel()
		local := a.OpenStore()
		defer local.Close()
		return offer(ctx, local, string(settings.BaseURL), typed), cobra.ShellCompDirectiveNoFileComp
	}
}

// mostOffered limits the ids that are offered at once.
const mostOffered = 200

// Projects offers the ids of projects.
func Projects(ctx context.Context, s *store.Store, origin, typed string) []string {
	return offer(s.Of(origin).Cache.SomeProjects(ctx, typed, mostOffered))
}

// Vintages offers the ids of vintages.
func Vintages(ctx context.Context, s *store.Store, origin, typed string) []string {
	return offer(s.Of(origin).Cache.SomeVintages(ctx, typed, mostOffered))
}

// Retirements offers the ids of retirement requests, the latest first.
func Retirements(ctx context.Context, s *store.Store, origin, typed string) []string {
	return offer(s.Of(origin).Ledger.Latest(ctx, typed, mostOffered))
}

func offer(ids []store.Named, _ error) (offers []string) {
	for _, of := range ids {
		offers = append(offers, cobra.CompletionWithDesc(of.ID, of.Label))
	}
	return offers
}
