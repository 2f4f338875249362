package cli

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
)

// The tabs of the dashboard, by the names that --tab takes.
const (
	marketTab      = "market"
	inventoryTab   = "inventory"
	retirementsTab = "retirements"
)

var tabNames = []string{marketTab, inventoryTab, retirementsTab}

func (a *app) accessible() bool { return a.Getenv("ACCESSIBLE") != "" }

func (a *app) isDumb() bool { return a.Getenv("TERM") == "dumb" }

func (d *dashboardRun) linear() bool { return d.plain || d.accessible() }

func (d *dashboardRun) checkTab() error {
	switch {
	case !slices.Contains(tabNames, d.tab):
		return usage("permitted: "+strings.Join(tabNames, ", "), "--tab: there is no tab %q", d.tab)
	case d.tab != marketTab && !d.linear():
		return usage("add --plain, or open the dashboard and press its number", "--tab chooses what --plain prints")
	}
	return nil
}

func (d *dashboardRun) printTab(ctx context.Context) error {
	r, err := d.read(ctx)
	if err != nil {
		return err
	}
	defer r.close()
	// The heading says it.
	d.told.production = ""
	return d.printTabOf(ctx, r)
}

func (d *dashboardRun) printTabOf(ctx context.Context, r *reading) error {
	text := bufio.NewWriter(d.data())
	p := &plainTab{run: d, reading: r, lines: lines{text}}
	print := map[string]func(context.Context) error{marketTab: p.market, inventoryTab: p.inventory, retirementsTab: p.retirements}
	if err := print[d.tab](ctx); err != nil {
		return err
	}
	return cmp.Or(text.Flush(), r.unseen())
}

// lines are facts, one a line.
type lines struct{ out io.Writer }

func (l lines) fact(label, value string) { fmt.Fprintln(l.out, label+": "+wire.Clean(value)) }

func (l lines) gap() { fmt.Fprintln(l.out) }

// plainTab prints a tab as lines.
type plainTab struct {
	lines
	run     *dashboardRun
	reading *reading
}

func (p *plainTab) heading(what, of string, n int) {
	place := p.reading.baseURL
	if p.run.production != "" {
		place += ", which is " + p.run.production
	}
	p.fact(what+" of", place)
	p.fact("Read at", clock(p.run.Now()))
	p.fact(of, model.FormatNumber(int64(n)))
	if err := p.reading.unseen(); err != nil {
		p.fact("Incomplete", err.Error())
	}
}

func (p *plainTab) vintage(key model.VintageKey, year int32) {
	p.gap()
	p.fact("Project", p.reading.details.known.Name(key.ProjectID))
	if year != 0 {
		p.fact("Vintage", yearText(year))
	}
	p.fact("Vintage id", key.VintageID)
}

func (p *plainTab) price(price model.PriceCents) string {
	if !price.Known() && p.reading.unseen() != nil {
		return "unknown"
	}
	return perTonne(price)
}

func perTonne(price model.PriceCents) string {
	if !price.Known() {
		return "none"
	}
	return price.FormatDollars() + " per tonne"
}
