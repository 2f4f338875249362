package retire

import (
	"cmp"
	"io"
	"iter"
	"slices"

	"tonne/api/retire"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/field"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
	"tonne/ui/cli/terminal"
	"tonne/ui/output"
)

// callRow is a printed call. effect is its actual or possible effect.
type callRow struct {
	*retire.Call
	effect retirement.Call
}

func rows(calls []*retire.Call) iter.Seq[callRow] {
	return field.Each(slices.Values(calls), func(c *retire.Call) callRow {
		if status := c.Status(); status == retire.StatusRefused || status == retire.StatusNotSent {
			return callRow{c, retirement.Call{Price: model.UnknownPrice}}
		}
		return callRow{c, c.Plan}
	})
}

var callColumns = field.Columns[callRow]{
	{Name: "reference", Title: "REFERENCE", Shrink: 8,
		Value: func(c callRow) field.Value { return field.Text(c.Reference) }},
	{Name: "external_id", Is: "string", Title: "EXTERNAL ID", Drop: 2,
		Value: func(c callRow) field.Value { return field.Text(c.ExternalID) }},
	{Name: "status", Is: "string", Title: "STATUS",
		Value: func(c callRow) field.Value { return field.Text(string(c.Status())) },
		Cell:  func(c callRow) field.Value { return field.Words(cmp.Or(string(c.Status()), "planned")) }},
	{Name: "vintage_id", Is: "string", Title: "VINTAGE ID", Drop: 2,
		Value: func(c callRow) field.Value { return field.Text(wire.Clean(c.Plan.VintageID)) }},
	{Title: "FOR", Drop: 4,
		Value: func(c callRow) field.Value { return field.Words(cmp.Or(c.Plan.Retiree.Name, "own behalf")) }},
	{Name: "quantity_grams", Title: "RETIRE", Right: true,
		Value: func(c callRow) field.Value { return field.Grams(c.Plan.Quantity) }},
	{Name: "from_inventory_grams", Title: "INVENTORY", Right: true, Drop: 1,
		Value: func(c callRow) field.Value { return field.Grams(c.effect.FromInventory) }},
	{Name: "buy_tonnes", Is: "string", Title: "BUY", Right: true,
		Value: func(c callRow) field.Value { return field.Tonnes(c.effect.BuyTonnes) }},
	{Name: "bought_tonnes", Is: "string", Value: func(c callRow) field.Value { return field.Tonnes(c.effect.BuyTonnes) }},
	{Name: "sell_order_id", Title: "SELL ORDER",
		Value: func(c callRow) field.Value { return field.Optional(c.effect.SellOrderID) }},
	{Name: "price_cents", Title: "PRICE/t", Right: true,
		Value: func(c callRow) field.Value { return field.Price(c.effect.Price) }},
	{Name: "cost_cents", Is: "string", Title: "COST", Right: true,
		Value: func(c callRow) field.Value { return field.Cost(c.effect.Cost) }},
	{Name: "retirement_request_id", Title: "REQUEST",
		Value: func(c callRow) field.Value { return field.Optional(c.RequestID) }},
	{Name: "error", Title: "ERROR", Shrink: 12, Drop: 1,
		Value: func(c callRow) field.Value { return field.Optional(wire.Clean(c.Remark().String())) }},
}

var (
	plannedColumns = callColumns.Pick("external_id", "vintage_id", "quantity_grams", "from_inventory_grams", "buy_tonnes",
		"sell_order_id", "price_cents", "cost_cents")
	resultColumns = callColumns.Pick("reference", "external_id", "status", "retirement_request_id",
		"from_inventory_grams", "bought_tonnes", "sell_order_id", "price_cents", "cost_cents", "error")
	planColumns = callColumns.Pick("reference", "vintage_id", "FOR", "quantity_grams", "from_inventory_grams",
		"buy_tonnes", "sell_order_id", "price_cents", "cost_cents", "status")
	outcomeColumns = callColumns.Pick("reference", "status", "quantity_grams", "cost_cents", "retirement_request_id",
		"external_id", "error")
)

type retired struct {
	calls             iter.Seq[callRow]
	cost, most, short field.Value
}

func retiredForm(calls field.Columns[callRow], sums ...string) field.Columns[retired] {
	return field.Columns[retired]{field.Items("calls", func(r retired) iter.Seq[callRow] { return r.calls }, calls)}.With(
		field.Columns[retired]{
			{Name: "cost_cents", Is: "string", Value: func(r retired) field.Value { return r.cost }},
			// The cost if another user empties the wallets first.
			{Name: "most_cost_cents", Is: "string", Value: func(r retired) field.Value { return r.most }},
			{Name: "short_grams", Value: func(r retired) field.Value { return r.short }},
		}.Pick(sums...)...)
}

var (
	plannedJSON = retiredForm(plannedColumns, "cost_cents", "most_cost_cents", "short_grams")
	retiredJSON = retiredForm(plannedColumns.With(callColumns.Pick("status", "retirement_request_id", "error")...),
		"cost_cents", "short_grams")
)

func writeResults(w io.Writer, calls []*retire.Call) error {
	return output.Write(w, output.CSV, resultColumns, rows(calls))
}

func printCalls(a *command.App, format output.Format, calls []*retire.Call, short model.Grams) error {
	switch format {
	case output.JSON, output.JSONL:
		done := sum(calls, func(c *retire.Call) bool { return c.State == retire.Done })
		return output.Object(a.Data(),
			retiredJSON.JSON(retired{calls: rows(calls), cost: field.Cost(done.cost), short: field.Grams(short)}))
	case output.CSV:
		return writeResults(a.Data(), calls)
	}
	return a.Grid(output.GridOf(outcomeColumns, rows(calls)))
}

// showPlan prints the plan of a dry run, even if err states that it cannot be executed.
func (r *retireOptions) showPlan(err error) error {
	calls := r.sub.New()
	if err != nil && (r.sub.After == nil || len(calls) == 0 && r.format == output.Table) {
		return err
	}
	all := sum(calls, isAny)
	var failed error
	switch r.format {
	case output.JSON, output.JSONL:
		failed = output.Object(r.app.Data(),
			plannedJSON.JSON(retired{rows(calls), field.Cost(all.cost), field.Cost(all.most), field.Grams(r.short)}))
	case output.CSV:
		failed = writeResults(r.app.Data(), r.sub.All())
	default:
		failed = r.planTable(r.app.Data(), r.app.Stdout)
	}
	return cmp.Or(failed, err)
}

func (r *retireOptions) tellPlan() error {
	r.app.ClearProgress()
	if r.app.AsObjects() && r.yes {
		return nil
	}
	r.app.BeforeData()
	return r.planTable(r.app.Stderr, r.app.Stderr)
}

func (r *retireOptions) planTable(w, stream io.Writer) error {
	columns, styled := terminal.Width(stream), r.app.Styled(stream)
	if err := planGrid(rows(r.sub.All())).Write(w, columns, styled); err != nil {
		return err
	}
	if _, err := io.WriteString(w, "\n"+r.behalf); err != nil {
		return err
	}
	return r.sumTable().Write(w, columns, styled)
}

func planGrid(rows iter.Seq[callRow]) *output.Grid {
	columns := slices.Clone(planColumns)
	columns[len(columns)-1].Drop = 3
	for c := range rows {
		if c.Plan.Retiree.External() {
			columns[2].Shrink, columns[2].Drop = 8, 0
		}
	}
	return output.GridOf(columns, rows)
}

func (r *retireOptions) sumTable() *output.Grid {
	g := output.NewGrid(output.Heading{}, output.Heading{Right: true})
	if r.app.Production != "" {
		g.Add("sent to", r.app.Clean(r.settings.Place()))
	}
	calls := r.sub.New()
	all := sum(calls, isAny)
	g.Add("calls to send", model.FormatNumber(int64(all.n)))
	g.Add("to retire", all.quantity.FormatTonnes())
	if r.short > 0 {
		g.Add("missing", r.short.FormatTonnes())
	}
	g.Add("cost", all.cost.FormatDollars())
	if all.most > all.cost {
		g.Add("at most, if another user empties the wallet first", all.most.FormatDollars())
	}
	if price, _, _ := r.limits(); price.Known() {
		g.Add("at most per tonne (--max-price)", price.FormatDollars())
	}
	if r.mostCost >= 0 {
		g.Add("at most in all (--max-cost)", r.mostCost.FormatDollars())
	}
	for _, id := range r.sub.Vintages() {
		g.Add("stays in the wallet of "+id, r.sub.After[id].Held.FormatTonnes())
	}
	for _, id := range r.sub.Vintages() {
		fractions := sum(calls, func(c *retire.Call) bool { return !c.Plan.Quantity.IsWhole() && c.Plan.VintageID == id })
		if fractions.n > 0 {
			g.Add("joins this month's request of fractions of "+id, fractions.quantity.FormatTonnes())
		}
	}
	return g
}
