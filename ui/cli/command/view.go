package command

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tonne/model/file/store"
	"tonne/ui/tab"
)

// viewFlags are the flags that a view may set.
var viewFlags = []string{"columns", "sort", "filter", "wallet-min-quantity"}

// ViewFlag adds --view.
func ViewFlag(a *App, cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.View, "view", "",
		"columns, sort and filter of the view `NAME`, saved in the dashboard with :view save NAME; --columns, --sort and "+
			"--filter replace those of the view")
}

// Views offers the names of the saved views of a command.
func Views(cmd *cobra.Command) func(ctx context.Context, s *store.Store, origin, _ string) []string {
	return func(ctx context.Context, s *store.Store, origin, _ string) []string {
		choices, _ := s.Of(origin).Cache.Choices(ctx)
		return slices.Sorted(maps.Keys(tab.SavedViews(choices, cmd.Name())))
	}
}

// ApplyView sets the flags of a command that its --view has and the user did not give.
func ApplyView(a *App, cmd *cobra.Command) error {
	if view := cmd.Flag("view"); view == nil || !view.Changed {
		return nil
	}
	if trades := cmd.Flag("trades"); trades != nil && trades.Value.String() == "true" {
		return Usage("leave out one of them", "a view lists wallets, and --trades lists trades")
	}
	view, err := readView(a, cmd)
	delete(view, tab.ViewWidths)
	if err == nil {
		err = view.selectColumns(a, cmd)
	}
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(view)) {
		switch flag := cmd.Flag(name); {
		case flag == nil || !slices.Contains(viewFlags, name):
			return Usage("save the view without it", "the view %q has the filter %q, which only the dashboard has", a.View, name)
		case flag.Changed:
		default:
			if err := cmd.Flags().Set(name, view[name]); err != nil {
				return Usage("save the view again", "the view %q has a wrong --%s: %v", a.View, name, err)
			}
		}
	}
	return nil
}

func readView(a *App, cmd *cobra.Command) (savedView, error) {
	settings, err := a.Settings()
	if err != nil {
		return nil, err
	}
	local := a.OpenStore()
	defer local.Close()
	choices, err := local.Of(string(settings.BaseURL)).Cache.Choices(cmd.Context())
	if err != nil {
		return nil, Failed("try again", "the saved views cannot be read: %v", err)
	}
	views := tab.SavedViews(choices, cmd.Name())
	switch view, saved := views[a.View]; {
	case saved:
		return savedView(view), nil
	case local.Problem() != nil:
		return nil, Failed("make the file usable; it contains the saved views", "%v", local.Problem())
	case len(views) == 0:
		return nil, Usage("save one with `:view save NAME` in the dashboard", "no view of %s is saved for %s", commandOf(cmd),
			settings.BaseURL)
	}
	return nil, Usage("the saved views are: "+strings.Join(slices.Sorted(maps.Keys(views)), ", "),
		"no view for %s is named %q", settings.BaseURL, a.View)
}

type savedView tab.SavedView

// selectColumns leaves out the columns of a view that only the dashboard has, such as trend. It refuses the view if
// it needs them.
func (v savedView) selectColumns(a *App, cmd *cobra.Command) error {
	known := columnsOf(a.Descriptions[cmd], cmd)
	unknown := func(name string) bool { return !slices.Contains(known, name) }
	if by := strings.TrimPrefix(v["sort"], "-"); by != "" && unknown(by) && !cmd.Flag("sort").Changed {
		return Usage("choose a column with --sort", "the view %q is sorted by %s, which only the dashboard has", a.View, by)
	}
	if cmd.Flag("columns").Changed {
		return nil
	}
	left := slices.DeleteFunc(strings.Split(v["columns"], ","), unknown)
	if len(left) == 0 {
		return Usage("choose columns with --columns", "the view %q has only columns of the dashboard: %s", a.View,
			strings.ReplaceAll(v["columns"], ",", ", "))
	}
	v["columns"] = strings.Join(left, ",")
	return nil
}
