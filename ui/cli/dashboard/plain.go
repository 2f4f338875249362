package dashboard

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"tonne/api/wire"
	"tonne/model"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
)

// The tabs of the dashboard, by the names that --tab takes.
const (
	marketTab      = "market"
	inventoryTab   = "inventory"
	retirementsTab = "retirements"
)

// TabNames are the values of --tab, in the order of the tabs.
var TabNames = []string{marketTab, inventoryTab, retirementsTab}

// Linear reports whether a tab is printed as lines, by --plain or for a screen reader.
func (d *Dashboard) Linear() bool { return d.plain || d.Accessible() }

// CheckTab returns wrong usage if --tab names no tab, or needs --plain.
func (d *Dashboard) CheckTab() error {
	switch {
	case !slices.Contains(TabNames, d.tab):
		return command.Usage("permitted: "+strings.Join(TabNames, ", "), "--tab: there is no tab %q", d.tab)
	case d.tab != marketTab && !d.Linear():
		return command.Usage("add --plain, or open the dashboard and press its number", "--tab chooses what --plain prints")
	}
	return nil
}

func (d *Dashboard) printTab(ctx context.Context) error {
	r, err := listing.Connect(ctx, d.App)
	if err != nil {
		return err
	}
	defer r.Close()
	// The heading says it.
	d.SayBeforeData("")
	return d.PrintTabOf(ctx, r)
}

// PrintTabOf prints the tab that --tab names as lines. The error says what could not be
// read.
func (d *Dashboard) PrintTabOf(ctx context.Context, r *listing.Connection) error {
	text := bufio.NewWriter(d.Data())
	p := &plainTab{run: d, Connection: r, lines: lines{text}}
	print := map[string]func(context.Context) error{marketTab: p.market, inventoryTab: p.inventory, retirementsTab: p.retirements}
	if err := print[d.tab](ctx); err != nil {
		return err
	}
	return cmp.Or(text.Flush(), r.Unseen())
}

// lines are facts, one a line.
type lines struct{ out io.Writer }

func (l lines) fact(label, value string) { fmt.Fprintln(l.out, label+": "+wire.Clean(value)) }

func (l lines) gap() { fmt.Fprintln(l.out) }

// plainTab prints a tab as lines.
type plainTab struct {
	lines
	run        *Dashboard
	Connection *listing.Connection
}

func (p *plainTab) heading(what, of string, n int) {
	place := p.Connection.BaseURL
	if p.run.Production != "" {
		place += ", which is " + p.run.Production
	}
	p.fact(what+" of", place)
	p.fact("Read at", command.Clock(p.run.Now()))
	p.fact(of, model.FormatNumber(int64(n)))
	if err := p.Connection.Unseen(); err != nil {
		p.fact("Incomplete", err.Error())
	}
}

func (p *plainTab) vintage(key model.VintageKey, year int32) {
	p.gap()
	p.fact("Project", p.Connection.ProjectDetails.Known.Name(key.ProjectID))
	if year != 0 {
		p.fact("Vintage", command.YearText(year))
	}
	p.fact("Vintage id", key.VintageID)
}

func (p *plainTab) price(price model.PriceCents) string {
	if !price.Known() && p.Connection.Unseen() != nil {
		return "unknown"
	}
	return command.PerTonne(price)
}
