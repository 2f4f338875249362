package dashboard

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tonne/model/advice"
	"tonne/ui"
	"tonne/ui/cli/command"
)

// TabNames returns the values of --tab, in the order of the tabs.
func TabNames() (names []string) {
	for _, t := range ui.Tabs {
		names = append(names, t.Name)
	}
	return names
}

func (d *Dashboard) linear() bool { return d.plain || d.App.Accessible() }

// InText reports whether a tab is printed as text instead of the dashboard: with --plain,
// for a screen reader, or on a terminal that cannot position text.
func (d *Dashboard) InText() bool { return d.linear() || d.App.IsDumb() }

// CheckTab returns an error if --tab names no tab, or needs --plain.
func (d *Dashboard) CheckTab() error {
	switch names := TabNames(); {
	case !slices.Contains(names, d.tab):
		return command.Usage("permitted: "+strings.Join(names, ", "), "--tab: unknown tab %q", d.tab)
	case d.tab != names[0] && !d.linear():
		return command.Usage("add --plain, or open the dashboard and press its number", "--tab needs --plain")
	}
	return nil
}

// PrintTab prints the tab of --tab as lines, or the market as a table on a dumb terminal.
func (d *Dashboard) PrintTab(ctx context.Context, cmd *cobra.Command) error {
	d.App.Lines = d.linear()
	err := runCommand(ctx, cmd, ui.Tabs[slices.Index(TabNames(), d.tab)].List)
	if err == nil && !d.App.Lines {
		d.App.Warn("printing the market as a table, because TERM is dumb and the dashboard needs a terminal that can "+
			"position text; "+
			"%s prints the other tabs, one fact per line", advice.Tonne("--plain --tab inventory"))
	}
	return err
}

func runCommand(ctx context.Context, from *cobra.Command, name string) error {
	cmd, _, err := from.Root().Find([]string{name})
	if err != nil || cmd == from.Root() {
		return cmp.Or(err, fmt.Errorf("no command is named %s", name))
	}
	cmd.SetContext(ctx)
	return cmd.RunE(cmd, nil)
}
