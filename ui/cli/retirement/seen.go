package retirement

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tonne/model"
	"tonne/model/localfile"
	"tonne/model/store"
	"tonne/ui/cli/command"
)

type seenRun struct {
	*command.App
	url, page, who string
}

func seenCommand(a *command.App) *cobra.Command {
	r := &seenRun{App: a}
	cmd := &cobra.Command{
		Use:   "seen ID|SERIAL",
		Short: "Record that you saw a retirement in the public registry",
		Long: "Records who saw a retirement request of the ledger, or a serial number of one, in the public\n" +
			"registry, when and where, and the SHA-256 of a page that they saved. It stands in the\n" +
			"evidence beside what the service says, and is never changed. tonne itself reads no\n" +
			"registry: the column registry_page of the evidence says where to look.",
		Example: "  tonne retirement seen 00mj6hrvi6yaapj6nb --registry-url https://registry.verra.org/app/projectDetail/VCS/1340\n" +
			"  tonne retirement seen 'ART-GY-102-2019-3-2500001 to 2600000' --registry-url https://art.apx.com/ --page page.html",
		Args: cobra.ExactArgs(1),
		RunE: command.Do(func(ctx context.Context, _ *cobra.Command, args []string) error { return r.run(ctx, args[0]) }),
	}
	a.ConnectionFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&r.url, "registry-url", "", "`URL` that you saw it at")
	f.StringVar(&r.page, "page", "", "`FILE` that you saved of the page")
	f.StringVar(&r.who, "who", "", "`NAME` of who saw it (default the user of this machine)")
	return a.Describe(cmd, command.Description{
		Effect:    command.Irrevocable,
		Arguments: []command.Argument{{Name: "ID|SERIAL", Description: "id of a retirement request of the ledger, or a serial number", Required: true}},
	})
}

func (r *seenRun) run(ctx context.Context, subject string) error {
	seen := model.RegistryObservation{Subject: subject, At: r.Now(), Who: cmp.Or(strings.TrimSpace(r.who), r.UserName()), URL: r.url}
	if err := r.check(seen); err != nil {
		return err
	}
	if r.page != "" {
		var err error
		if seen.PageSHA256, err = hashPage(r.page); err != nil {
			return err
		}
		seen.Page = filepath.Base(r.page)
	}
	origin, err := r.MarketplaceURL()
	if err != nil {
		return err
	}
	local := r.OpenStore()
	defer local.Close()
	return r.record(ctx, local, origin, seen)
}

func (r *seenRun) check(seen model.RegistryObservation) error {
	if seen.URL == "" {
		return command.Usage("give the address with --registry-url URL", "it is not told where it was seen")
	}
	switch err := seen.Check(); {
	case errors.Is(err, model.ErrNoPublicPage):
		return command.Usage("give an address such as https://registry.verra.org/…", "--registry-url: %v", err)
	case errors.Is(err, model.ErrNoWitness):
		return command.Usage("give a name with --who NAME", "%v", err)
	case err != nil:
		return command.Usage("shorten it, and leave out what is no text", "%v", err)
	}
	return nil
}

func (r *seenRun) record(ctx context.Context, local *store.Store, origin string, seen model.RegistryObservation) error {
	entries, err := local.Ledger(ctx, origin)
	if err != nil {
		return err
	}
	if err := checkSubject(entries, seen); err != nil {
		return err
	}
	if !model.IsRegistryPage(seen.URL) {
		r.Warn("%s is of no registry that tonne knows", seen.URL)
	}
	if err := local.AddSighting(ctx, origin, seen); err != nil {
		return err
	}
	if problem := local.Problem(); problem != nil {
		return command.Failed("what was seen is kept in that file", "%v", problem)
	}
	r.Confirm("Recorded: %s saw it at %s.", seen.Who, seen.URL)
	return nil
}

func checkSubject(entries []store.LedgerEntry, seen model.RegistryObservation) error {
	i := slices.IndexFunc(entries, func(e store.LedgerEntry) bool {
		return e.ID == seen.Subject || e.Answer != nil && seen.Shows(*e.Answer)
	})
	switch {
	case i < 0:
		return command.Unmet("not_found", "look the request up with `tonne retirement ID` first, which enters it in the ledger", "no request of the ledger is or holds %s", seen.Subject)
	case entries[i].Answer != nil && len(entries[i].Answer.SerialNumbers) == 0:
		return command.Failed("look it up with `tonne retirement ID` once it is complete", "%s is %s and has no serial numbers: a registry cannot show it", seen.Subject, entries[i].Answer.Status)
	}
	return nil
}

func hashPage(path string) (string, error) {
	sum, err := localfile.SHA256(path)
	if err != nil {
		return "", command.Failed("check the path and your permissions", "--page %s: %v", path, localfile.Plain(err))
	}
	return sum, nil
}
