package retire

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"

	"tonne/api/retire"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/atomicfile"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/cli/output"
	"tonne/ui/cli/retiring"
	"tonne/ui/cli/terminal"
)

// callRow is a call as it is printed: effect is what it did or may have done.
type callRow struct {
	*retire.Call
	status callStatus
	effect model.RetireCall
}

func (r *permitted) rows(calls []*retire.Call) iter.Seq[callRow] {
	return func(yield func(callRow) bool) {
		for _, c := range calls {
			if status := r.status(c); !yield(callRow{c, status, effectOf(c, status)}) {
				return
			}
		}
	}
}

var callColumns = output.Columns[callRow]{
	{Name: "reference", Title: "REFERENCE", Shrink: 8, Value: func(c callRow) output.Value { return output.Text(c.Reference) }, Cell: func(c callRow) string { return command.Dash(c.Reference) }},
	{Name: "external_id", Is: "string", Title: "EXTERNAL ID", Drop: 2, Value: func(c callRow) output.Value { return output.Text(c.ExternalID) }},
	{Name: "status", Is: "string", Title: "STATUS", Value: func(c callRow) output.Value { return output.Text(string(c.status)) }},
	{Name: "vintage_id", Is: "string", Title: "VINTAGE ID", Drop: 2, Value: func(c callRow) output.Value { return output.Text(wire.Clean(c.Plan.VintageID)) }},
	{Title: "FOR", Drop: 4, Cell: func(c callRow) string { return cmp.Or(c.Plan.Retiree.Name, "own behalf") }},
	{Name: "quantity_grams", Title: "RETIRE", Right: true, Value: func(c callRow) output.Value { return output.Grams(c.Plan.Quantity) }, Cell: func(c callRow) string { return c.Plan.Quantity.FormatTonnes() }},
	{Title: "INVENTORY", Right: true, Drop: 1, Cell: func(c callRow) string { return c.Plan.Used().FormatTonnes() }},
	{Title: "BUY", Right: true, Cell: func(c callRow) string { return listing.TonnesText(c.Plan.BuyTonnes) }},
	{Title: "SELL ORDER", Cell: func(c callRow) string { return command.Dash(c.Plan.SellOrderID) }},
	{Title: "PRICE/t", Right: true, Cell: func(c callRow) string { return command.Dollars(c.Plan.Price) }},
	{Title: "COST", Right: true, Cell: func(c callRow) string { return c.Plan.Cost.FormatDollars() }},
	{Title: "STATUS", Drop: 3, Cell: func(c callRow) string { return cmp.Or(string(statusOf(c.Call)), "planned") }},
	{Name: "from_inventory_grams", Value: func(c callRow) output.Value { return output.Grams(c.effect.FromInventory) }},
	{Name: "buy_tonnes", Is: "string", Value: func(c callRow) output.Value { return output.Tonnes(c.effect.BuyTonnes) }},
	{Name: "bought_tonnes", Is: "string", Value: func(c callRow) output.Value { return output.Tonnes(c.effect.BuyTonnes) }},
	{Name: "sell_order_id", Value: func(c callRow) output.Value { return output.Optional(c.effect.SellOrderID) }},
	{Name: "price_cents", Value: func(c callRow) output.Value { return output.Price(c.effect.Price) }},
	{Name: "cost_cents", Is: "string", Title: "COST", Right: true, Value: func(c callRow) output.Value { return output.Cost(c.effect.Cost) }},
	{Name: "retirement_request_id", Title: "REQUEST", Value: func(c callRow) output.Value { return output.Optional(c.RequestID) }},
	{Name: "error", Title: "ERROR", Shrink: 12, Drop: 1, Value: func(c callRow) output.Value { return output.Optional(wire.Clean(retiring.ErrorOf(c.Call))) }},
}

var (
	plannedColumns = callColumns.Pick("external_id", "vintage_id", "quantity_grams", "from_inventory_grams", "buy_tonnes", "sell_order_id", "price_cents", "cost_cents")
	resultColumns  = callColumns.Pick("reference", "external_id", "status", "retirement_request_id", "from_inventory_grams", "bought_tonnes", "sell_order_id", "price_cents", "cost_cents", "error")
	planColumns    = callColumns.Pick("reference", "vintage_id", "FOR", "quantity_grams", "INVENTORY", "BUY", "SELL ORDER", "PRICE/t", "COST", "STATUS")
	outcomeColumns = callColumns.Pick("reference", "status", "quantity_grams", "cost_cents", "retirement_request_id", "external_id", "error")
)

// retired are calls and what they come to.
type retired struct {
	calls             iter.Seq[callRow]
	cost, most, short output.Value
}

func retiredForm(calls output.Columns[callRow], sums ...string) output.Columns[retired] {
	return output.Columns[retired]{output.Array("calls", func(r retired) iter.Seq[callRow] { return r.calls }, calls)}.With(output.Columns[retired]{
		{Name: "cost_cents", Is: "string", Value: func(r retired) output.Value { return r.cost }},
		// What it costs if the wallets are used elsewhere first.
		{Name: "most_cost_cents", Is: "string", Value: func(r retired) output.Value { return r.most }},
		{Name: "short_grams", Value: func(r retired) output.Value { return r.short }},
	}.Pick(sums...)...)
}

var (
	plannedJSON = retiredForm(plannedColumns, "cost_cents", "most_cost_cents", "short_grams")
	retiredJSON = retiredForm(plannedColumns.With(callColumns.Pick("status", "retirement_request_id", "error")...), "cost_cents", "short_grams")
)

func (r *permitted) writeResults(w io.Writer, calls []*retire.Call) error {
	rows := output.NewRows(w, output.CSV, resultColumns.Header())
	resultColumns.Write(rows, r.rows(calls))
	return rows.Flush()
}

func (r *run) writeFiles(ctx context.Context, calls []*retire.Call) error {
	if err := atomicfile.Write(r.results, 0o600, func(w io.Writer) error { return r.writeResults(w, calls) }); err != nil {
		return err
	}
	return r.writeBatchEvidence(ctx)
}

func (r *run) showPlan(err error) error {
	calls := r.New()
	if err != nil && r.After == nil {
		return err
	}
	_, overflow := r.cost()
	_, _, cost := sums(calls, isAny)
	most, _, tooMuch := atMost(calls, isAny)
	if overflow != nil || tooMuch != nil {
		return planFailure(model.ErrOverflow)
	}
	var failed error
	switch r.format {
	case output.JSON, output.JSONL:
		failed = output.Object(r.Data(), plannedJSON.JSON(retired{r.rows(calls), output.Cost(cost), output.Cost(most), output.Grams(r.short)}))
	case output.CSV:
		failed = r.writeResults(r.Data(), r.All())
	default:
		failed = r.planTable(r.Data(), r.Stdout)
	}
	return cmp.Or(failed, err)
}

func (r *run) tellPlan() error {
	r.progress.Clear()
	if r.AsObjects() && r.yes {
		return nil
	}
	r.BeforeData()
	return r.planTable(r.Stderr, r.Stderr)
}

func (r *run) planTable(w, stream io.Writer) error {
	columns := 0
	if terminal.IsTerminal(stream) {
		columns = terminal.Width(stream)
	}
	if err := planGrid(r.rows(r.All())).Write(w, columns, r.Styled(stream)); err != nil {
		return err
	}
	if c := r.Lines[0].Request.Retiree; r.Batch == "" && c.External() {
		if _, err := fmt.Fprintf(w, "\nin the name of %s, %s, tax id %s\n", c.Name, c.Country, c.TaxID); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return r.sumTable().Write(w, columns, r.Styled(stream))
}

func planGrid(rows iter.Seq[callRow]) *output.Grid {
	columns := slices.Clone(planColumns)
	for c := range rows {
		if c.Plan.Retiree.External() {
			columns[2].Shrink, columns[2].Drop = 8, 0
		}
	}
	return columns.Grid(rows)
}

func (r *run) sumTable() *output.Grid {
	g := output.NewGrid(output.Heading{}, output.Heading{Right: true})
	if r.Production != "" {
		g.Add("sent to", r.Clean(r.settings.Place()))
	}
	calls := r.New()
	n, quantity, cost := sums(calls, isAny)
	g.Add("calls to send", model.FormatNumber(int64(n)))
	g.Add("to retire", quantity.FormatTonnes())
	if r.short > 0 {
		g.Add("missing", r.short.FormatTonnes())
	}
	g.Add("cost", cost.FormatDollars())
	if most, _, err := atMost(calls, isAny); err == nil && most > cost {
		g.Add("at most, if the wallet is used elsewhere first", most.FormatDollars())
	}
	for _, id := range r.Vintages() {
		g.Add("stays in the wallet of "+id, r.After[id].Held.FormatTonnes())
	}
	for _, id := range r.Vintages() {
		n, fractions, _ := sums(calls, func(c *retire.Call) bool { return !c.Plan.Quantity.IsWhole() && c.Plan.VintageID == id })
		if n > 0 {
			g.Add("joins this month's request of fractions of "+id, fractions.FormatTonnes())
		}
	}
	return g
}

func (r *permitted) printCalls(format output.Format, calls []*retire.Call, short model.Grams) error {
	_, _, cost := sums(calls, r.has(callDone))
	switch format {
	case output.JSON, output.JSONL:
		return output.Object(r.Data(), retiredJSON.JSON(retired{calls: r.rows(calls), cost: output.Cost(cost), short: output.Grams(short)}))
	case output.CSV:
		return r.writeResults(r.Data(), calls)
	}
	return r.Grid(outcomeColumns.Grid(r.rows(calls)))
}
