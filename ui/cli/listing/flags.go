package listing

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"tonne/api/session"
	"tonne/api/worker"
	"tonne/model"
	"tonne/model/advice"
	"tonne/model/attribute"
	"tonne/model/filter"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/ui/cli/command"
	"tonne/ui/output"
)

// FilterFlags has the flag --filter and the data that it needs.
type FilterFlags struct {
	text string
	Expr filter.Filter
	// Market, paid and held are the data of the vintages read so far.
	Market *market.Market
	Paid   portfolio.LastPaidPrices
	held   portfolio.Balances
	// Facts are the buyer's attributes, or nil if no labels are requested.
	Facts *attribute.Facts
	// Labelled reports that labels are requested in addition to the filter.
	Labelled bool
}

// AddFlag adds --filter.
func (n *FilterFlags) AddFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&n.text, "filter", "",
		"show only vintages matching `EXPR`, such as \"cookstoves ask<10 vintage>=2022\"")
}

// FilterHelp explains the flag.
const FilterHelp = "--filter takes words (all must match) and conditions: ask<10, paid<10, paid,\n" +
	"available>=500, held>=500, vintage>=2022, type:cookstoves, country:KE or country:kenya,\n" +
	"registry:verra, project:bale, id:003, and label:ccp, label:removal or label:VM0007.\n" +
	"kenya|uganda matches either word, and country:kenya,uganda either country; the other text\n" +
	"fields work alike. Put a phrase \"in quotation marks\". !word excludes a word."

// LabelHelp is a paragraph after FilterHelp for users who may run `tonne attributes`.
const LabelHelp = "\n\nLabels come from `tonne attributes`."

// Parse reads --filter. The error is wrong usage.
func (n *FilterFlags) Parse() (err error) {
	if n.Expr, err = filter.Parse(n.text); err != nil {
		return command.Usage("see the help of the command for the syntax of filters", "--filter: %v", err)
	}
	return nil
}

// Lets reports whether a vintage matches the filter.
func (n *FilterFlags) Lets(key model.VintageKey, d *ProjectDetails) bool {
	if n.Expr.Empty() {
		return true
	}
	row := n.row(key, d)
	return n.Expr.Match(&row)
}

// Passing returns the indexes of the matching vintages of a market.
func (n *FilterFlags) Passing(market *market.Market, d *ProjectDetails) (vintages []int) {
	for i := range market.Vintages() {
		if n.Lets(market.Key(i), d) {
			vintages = append(vintages, i)
		}
	}
	return vintages
}

// ReadLabels reads the buyer's attributes if they are needed, and warns if there are none.
func (n *FilterFlags) ReadLabels(ctx context.Context, d *ProjectDetails) error {
	if !n.Labelled && !n.Expr.Needs().Labels {
		return nil
	}
	facts, err := d.Store.Of(d.Origin).Annotations.Facts(ctx)
	n.Facts = attribute.NewFacts(facts)
	if err == nil && n.Expr.Needs().Labels && n.Facts.None() {
		next := advice.Format("; import them with %s", advice.Tonne("attributes import FILE.csv"))
		if d.App.Guest != nil {
			next = advice.Text{}
		}
		d.App.Warn("there are no attributes, so no vintage has a label%s", next)
	}
	return err
}

func (n *FilterFlags) row(key model.VintageKey, d *ProjectDetails) filter.Row {
	p := d.Known[key.ProjectID]
	row := filter.Row{
		Name: p.Name, ProjectID: key.ProjectID, VintageID: key.VintageID, Type: p.Type, Country: p.Country,
		Registry: p.RegistryName, RegistryID: p.RegistryID, Year: p.Year(key.VintageID),
		BestAsk: model.UnknownPrice, LastPaid: n.Paid.Of(key).Price, Held: model.UnknownGrams,
		Labels: func() []string { return n.Facts.Labels(key) },
	}
	if held, owned := n.held[key]; owned {
		row.Held = held
	}
	if n.Market == nil {
		return row
	}
	if i, ok := n.Market.Find(key); ok {
		v := n.Market.Vintage(i)
		row.BestAsk, row.Available = v.BestAsk, v.Available
		if v.Year != 0 {
			row.Year = int(v.Year)
		}
	}
	return row
}

// Learn updates the data of the vintages from an event of a session.
func (n *FilterFlags) Learn(e session.Event) {
	switch e := e.(type) {
	case session.MarketEvent:
		if e.Market != nil && !e.Partial {
			n.Market = e.Market
		}
	case session.PortfolioEvent:
		n.Paid, n.held = e.LastPaid, e.Balances
	}
}

// TellNone warns if no vintage matches, which is not a failure. It reports whether it has
// warned; the caller then must not report an empty market.
func TellNone(a *command.App, n *FilterFlags, passed, of int) bool {
	if passed > 0 || of == 0 || n.Expr.Empty() {
		return false
	}
	a.Warn("no vintage matches the filter (0 of %d)", of)
	return true
}

// StartHoldings reads last paid prices and balances. The returned function waits for them.
func (r *Connection) StartHoldings(ctx context.Context, n *FilterFlags) func() error {
	return worker.Start(func() (err error) {
		n.Paid, n.held, err = r.Client.Holdings(ctx)
		return err
	})
}

// PagingFlags are the flags of a command that prints pages of a listing or its changes.
type PagingFlags struct {
	Page, PerPage int
	Watch         bool
	Every         time.Duration
	Format        output.Format
}

// ShortestPoll is the shortest interval of polls that a user may choose.
const ShortestPoll = time.Second

// IncompleteHelp explains what happens if a listing ends early.
const IncompleteHelp = "If not all projects of the service can be read, the command prints those that it read, sets\n" +
	"\"complete\" to false in JSON and exits with status 5."

// WatchHelp is a paragraph that explains --watch.
const WatchHelp = "\n\n--watch prints one line per change until interrupted. It also records prices for trends and\n" +
	"charts, and reports on standard error when a rule of the watch list fires. `tonne watch`\n" +
	"reports only the rules."

// AddFlags adds the flags of formats, pages and --watch. pace is the default of --every.
func (l *PagingFlags) AddFlags(a *command.App, cmd *cobra.Command, pace time.Duration) {
	a.ListFlags(cmd, &l.Format)
	f := cmd.Flags()
	f.IntVar(&l.Page, "page", 0, "print only page `N`")
	f.IntVar(&l.PerPage, "per-page", 0, "print one page of `N` projects")
	f.BoolVar(&l.Watch, "watch", false, "keep polling and print one line per change")
	f.DurationVar(&l.Every, "every", pace, "time between two polls of --watch")
}

// CheckFlags returns an error for wrong usage of the flags.
func (l *PagingFlags) CheckFlags(cmd *cobra.Command) error {
	for name, n := range map[string]int{"page": l.Page, "per-page": l.PerPage} {
		if cmd.Flags().Changed(name) && n < 1 {
			return command.Usage("pages and page sizes start at 1", "--%s %d is not a page", name, n)
		}
	}
	switch {
	case !l.Watch:
		return nil
	case l.Format == output.JSON || l.Format == output.CSV:
		return command.Usage("use --watch with -o jsonl, or with no -o at all",
			"--watch prints lines and does not support -o %s", l.Format)
	case l.Every < ShortestPoll:
		return command.Usage("give --every at least "+ShortestPoll.String(), "--every %s is too short for the service",
			l.Every)
	}
	return nil
}

// NoneOf returns the message for an empty listing. all is the message if all pages were read.
func (l *PagingFlags) NoneOf(all string) string {
	if l.AllPages() {
		return all
	}
	return "this page is empty"
}

// AllPages reports whether no page was chosen.
func (l *PagingFlags) AllPages() bool { return l.Page == 0 && l.PerPage == 0 }
