package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tonne/api/session"
	"tonne/api/worker"
	"tonne/model"
	"tonne/model/filter"
)

// narrowing is what --filter lets pass.
type narrowing struct {
	text string
	expr filter.Filter
	// market, paid and held are what is known of the vintages so far.
	market *model.Market
	paid   model.LastPaidPrices
	held   model.Balances
	// facts are what the buyer knows of credits, nil where no label is asked for.
	facts *model.BuyerFacts
	// labelled says that labels are asked for beside the filter.
	labelled bool
}

func (n *narrowing) addFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&n.text, "filter", "", "only vintages that `EXPR` lets pass, such as \"cookstoves ask<10 vintage>=2022\"")
}

// filterHelp explains the flag.
const filterHelp = "--filter takes words, of which all have to match, and conditions: ask<10, paid<10, paid,\n" +
	"available>=500, held>=500, vintage>=2022, type:cookstoves, country:KE or country:kenya,\n" +
	"registry:verra, project:bale, id:003, and label:ccp, label:removal or label:VM0007.\n" +
	"Labels are what `tonne attributes` keeps. country:kenya,uganda takes either, as every field\n" +
	"with words does, and kenya|uganda either word. \"In quotation marks\" words stay together, and\n" +
	"!word turns one round."

func (n *narrowing) parse() (err error) {
	if n.expr, err = filter.Parse(n.text); err != nil {
		return usage("the help of the command says what a filter may be", "--filter: %v", err)
	}
	return nil
}

func (n *narrowing) lets(key model.VintageKey, d *details) bool { return n.rank(key, d) != filter.Out }

func (n *narrowing) rank(key model.VintageKey, d *details) filter.Rank {
	if n.expr.Empty() {
		return filter.In
	}
	row := n.row(key, d)
	return n.expr.Rank(&row)
}

// passing returns the vintages of a market that pass, by their numbers: behind
// those that people would recognize, as many as byID that pass by an id alone.
func (n *narrowing) passing(market *model.Market, d *details) (vintages []int, byID int) {
	var last []int
	for i := range market.Vintages() {
		switch n.rank(market.Key(i), d) {
		case filter.In:
			vintages = append(vintages, i)
		case filter.ByID:
			last = append(last, i)
		}
	}
	return append(vintages, last...), len(last)
}

// readLabels reads what the buyer knows of credits, if anybody looks at it, and
// explains a filter by labels if there are none. The error is one of the store.
func (n *narrowing) readLabels(ctx context.Context, d *details) error {
	if !n.labelled && !n.expr.Needs().Labels {
		return nil
	}
	facts, err := d.store.Facts(ctx, d.origin)
	n.facts = model.NewBuyerFacts(facts)
	if err == nil && n.expr.Needs().Labels && n.facts.None() {
		advice := "; import them with `tonne attributes import FILE.csv`"
		if d.app.guest != nil {
			advice = ""
		}
		d.app.warn("no attributes are known, so no vintage has a label%s", advice)
	}
	return err
}

func (n *narrowing) row(key model.VintageKey, d *details) filter.Row {
	p := d.known[key.ProjectID]
	row := filter.Row{
		Name: p.Name, ProjectID: key.ProjectID, VintageID: key.VintageID, Type: p.Type, Country: p.Country,
		Registry: p.RegistryName, RegistryID: p.RegistryID, Year: p.Year(key.VintageID),
		BestAsk: model.UnknownPrice, LastPaid: n.paid.Of(key).Price, Held: model.UnknownGrams,
		Labels: func() []string { return n.facts.Labels(key) },
	}
	if held, owned := n.held[key]; owned {
		row.Held = held
	}
	if n.market == nil {
		return row
	}
	if i, ok := n.market.Find(key); ok {
		v := n.market.Vintage(i)
		row.BestAsk, row.Available = v.BestAsk, v.Available
		if v.Year != 0 {
			row.Year = int(v.Year)
		}
	}
	return row
}

func (n *narrowing) learn(e session.Event) {
	switch e := e.(type) {
	case session.MarketEvent:
		if e.Market != nil && !e.Partial {
			n.market = e.Market
		}
	case session.LastPaidEvent:
		n.paid, n.held = e.Prices, e.Balances
	}
}

// tellNone says that nothing passes, which is no failure. It reports whether it
// did: then that there is nothing at all would be untrue.
func (a *app) tellNone(n *narrowing, passed, of int) bool {
	if passed > 0 || of == 0 || n.expr.Empty() {
		return false
	}
	a.warn("the filter lets none of %d vintages pass", of)
	return true
}

func (r *reading) startHoldings(ctx context.Context, n *narrowing) func() error {
	return worker.Start(func() (err error) {
		n.paid, n.held, err = r.client.Holdings(ctx)
		return err
	})
}

func (r *reading) startMarket(ctx context.Context, n *narrowing) func() error {
	if !n.expr.Market() {
		return func() error { return nil }
	}
	return worker.Start(func() (err error) {
		n.market, err = r.client.Market(ctx, 0, nil)
		return err
	})
}
