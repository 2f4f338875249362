package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"tonne/api/retire"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/atomicfile"
	"tonne/ui/cli/output"
)

type retireCallJSON struct {
	ExternalID    string       `json:"external_id"`
	VintageID     string       `json:"vintage_id"`
	Quantity      output.Value `json:"quantity_grams"`
	FromInventory output.Value `json:"from_inventory_grams"`
	BuyTonnes     string       `json:"buy_tonnes"`
	SellOrderID   output.Value `json:"sell_order_id"`
	Price         output.Value `json:"price_cents"`
	Cost          string       `json:"cost_cents"`
}

// retirePlanJSON is what is planned: no call of it was sent.
type retirePlanJSON struct {
	Calls []retireCallJSON `json:"calls"`
	Cost  string           `json:"cost_cents"`
	// MostCost is what it costs if the wallets are used elsewhere first.
	MostCost string       `json:"most_cost_cents"`
	Short    output.Value `json:"short_grams"`
}

type retiredCallJSON struct {
	retireCallJSON
	Status    string       `json:"status"`
	RequestID output.Value `json:"retirement_request_id"`
	Error     output.Value `json:"error"`
}

type retiredJSON struct {
	Calls []retiredCallJSON `json:"calls"`
	Cost  string            `json:"cost_cents"`
	Short output.Value      `json:"short_grams"`
}

func callOut(c *retire.Call, p model.RetireCall) retireCallJSON {
	return retireCallJSON{
		c.ExternalID, wire.Clean(p.VintageID), output.Grams(p.Quantity), output.Grams(p.FromInventory), tonnes(p.BuyTonnes),
		output.Optional(p.SellOrderID), output.Price(p.Price), p.Cost.String(),
	}
}

const resultHeader = "reference,external_id,status,retirement_request_id,from_inventory_grams,bought_tonnes,sell_order_id,price_cents,cost_cents,error"

// resultRows writes a row per call.
func (r *retiring) resultRows(w io.Writer, calls []*retire.Call) error {
	rows := output.NewRows(w, output.CSV, resultHeader)
	for _, c := range calls {
		p := effectOf(c, r.status(c))
		rows.Write(output.Text(c.Reference), output.Text(c.ExternalID), output.Text(string(r.status(c))), output.Optional(c.RequestID),
			output.Grams(p.FromInventory), output.Text(tonnes(p.BuyTonnes)), output.Optional(p.SellOrderID), output.Price(p.Price),
			output.Text(p.Cost.String()), output.Optional(wire.Clean(errorOf(c))))
	}
	return rows.Flush()
}

// writeFiles writes what became of the calls of a batch to its file, whole or
// not at all, and the evidence beside it.
func (r *retireRun) writeFiles(ctx context.Context, calls []*retire.Call) error {
	if err := atomicfile.Write(r.results, 0o600, func(w io.Writer) error { return r.resultRows(w, calls) }); err != nil {
		return err
	}
	return r.writeBatchEvidence(ctx)
}

// showPlan prints a plan that is not carried out. err is why it could not be.
func (r *retireRun) showPlan(err error) error {
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
		out := retirePlanJSON{Calls: []retireCallJSON{}, Cost: cost.String(), MostCost: most.String(), Short: output.Grams(r.short)}
		for _, c := range calls {
			out.Calls = append(out.Calls, callOut(c, c.Plan))
		}
		failed = output.Object(r.data(), out)
	case output.CSV:
		failed = r.resultRows(r.data(), r.All())
	default:
		failed = r.planTable(r.data(), r.Stdout)
	}
	return cmp.Or(failed, err)
}

// tellPlan shows a person the plan before they confirm it.
func (r *retireRun) tellPlan() error {
	r.progress.clear()
	if r.told.objects && r.yes {
		return nil
	}
	r.beforeData()
	return r.planTable(r.Stderr, r.Stderr)
}

// planTable shows the calls, and what they come to, on a stream that is written
// to by w.
func (r *retireRun) planTable(w, stream io.Writer) error {
	columns := 0
	if isTerminal(stream) {
		columns = width(stream)
	}
	if err := callTable(r.All()).Write(w, columns, r.styled(stream)); err != nil {
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
	return r.sumTable().Write(w, columns, r.styled(stream))
}

func callTable(calls []*retire.Call) *output.Grid {
	// What is the same in every line gives way first.
	whom := output.Heading{Title: "FOR", Drop: 4}
	if slices.ContainsFunc(calls, func(c *retire.Call) bool { return c.Plan.Retiree.External() }) {
		whom.Shrink, whom.Drop = 8, 0
	}
	g := output.NewGrid(
		output.Heading{Title: "REFERENCE", Shrink: 8}, output.Heading{Title: "VINTAGE ID", Drop: 2}, whom, output.Heading{Title: "RETIRE", Right: true},
		output.Heading{Title: "INVENTORY", Right: true, Drop: 1}, output.Heading{Title: "BUY", Right: true}, output.Heading{Title: "SELL ORDER"},
		output.Heading{Title: "PRICE/t", Right: true}, output.Heading{Title: "COST", Right: true}, output.Heading{Title: "STATUS", Drop: 3},
	)
	for _, c := range calls {
		p := c.Plan
		bought, _ := model.WholeTonnes(p.BuyTonnes)
		status := cmp.Or(string(statusOf(c)), "planned")
		g.Add(dash(c.Reference), p.VintageID, cmp.Or(p.Retiree.Name, "own behalf"), p.Quantity.FormatTonnes(), p.Used().FormatTonnes(), bought.FormatTonnes(),
			dash(p.SellOrderID), dollars(p.Price), p.Cost.FormatDollars(), status)
	}
	return g
}

// sumTable shows what the calls of a plan come to.
func (r *retireRun) sumTable() *output.Grid {
	g := output.NewGrid(output.Heading{}, output.Heading{Right: true})
	if r.production != "" {
		g.Add("sent to", r.clean(r.settings.place()))
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

// printCalls prints what became of calls.
func (r *retiring) printCalls(format output.Format, calls []*retire.Call, short model.Grams) error {
	_, _, cost := sums(calls, r.has(callDone))
	switch format {
	case output.JSON, output.JSONL:
		out := retiredJSON{Calls: []retiredCallJSON{}, Cost: cost.String(), Short: output.Grams(short)}
		for _, c := range calls {
			out.Calls = append(out.Calls, retiredCallJSON{
				callOut(c, effectOf(c, r.status(c))), string(r.status(c)), output.Optional(c.RequestID), output.Optional(wire.Clean(errorOf(c))),
			})
		}
		return output.Object(r.data(), out)
	case output.CSV:
		return r.resultRows(r.data(), calls)
	}
	g := output.NewGrid(
		output.Heading{Title: "REFERENCE", Shrink: 8}, output.Heading{Title: "STATUS"}, output.Heading{Title: "RETIRE", Right: true},
		output.Heading{Title: "COST", Right: true}, output.Heading{Title: "REQUEST"}, output.Heading{Title: "EXTERNAL ID", Drop: 2}, output.Heading{Title: "ERROR", Shrink: 12, Drop: 1},
	)
	for _, c := range calls {
		g.Add(dash(c.Reference), string(r.status(c)), c.Plan.Quantity.FormatTonnes(), effectOf(c, r.status(c)).Cost.FormatDollars(), dash(c.RequestID), c.ExternalID, dash(errorOf(c)))
	}
	return r.grid(g)
}
