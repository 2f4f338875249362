package retire

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"tonne/api/retire"
	"tonne/model"
	"tonne/model/file/localfile"
	"tonne/model/file/tabular"
	"tonne/model/fold"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
)

// readBatch reads all lines of the file, or returns an error. maxPrice applies to each line
// without a lower limit.
func (r *retireOptions) readBatch(ctx context.Context, maxPrice model.PriceCents) error {
	name := r.file
	if err := r.checkBatch(); err != nil {
		return err
	}
	table, err := r.table.Read(ctx, name, tabular.Largest)
	if err != nil {
		return err
	}
	lines, err := r.readLines(name, table)
	if err != nil {
		return err
	}
	for _, line := range lines {
		if maxPrice.Known() && (!line.MaxPrice.Known() || maxPrice < line.MaxPrice) {
			line.MaxPrice = maxPrice
		}
	}
	r.kind, r.sub.TakeOver, r.sub.Batch, r.sub.Lines = r.batch(), r.takeOver, filepath.Base(name), lines
	return nil
}

func (o *retireOptions) checkBatch() error {
	for flag, text := range map[string]string{
		"--vintage": o.vintage, "--project": o.project, "--tonnes": o.tonnes, "--grams": o.grams, "--order": o.order,
		"--reference": o.reference,
		"--customer":  o.customer.Name, "--tax-id": o.customer.TaxID, "--country": o.customer.Country,
		"--customer-id": o.customer.ID,
	} {
		if text != "" {
			return command.Usage("leave it out: each line of the file has its own value", "%s and --file exclude each other",
				flag)
		}
	}
	if o.results == "" {
		if o.dryRun {
			return nil
		}
		return command.Usage("add --results FILE.csv for the outcome of each line", "--results is missing")
	}
	in, err := os.Stat(o.file)
	if err == nil && !in.Mode().IsRegular() && !o.dryRun {
		return command.Usage("write it to a file first: a batch is identified by the name of its file",
			"%s is not a regular file", o.file)
	}
	if out, missing := os.Stat(o.results); err == nil && missing == nil &&
		(os.SameFile(in, out) || !out.Mode().IsRegular()) {
		return command.Usage("name another file with --results", "%s is the batch itself, or not a regular file", o.results)
	}
	if (localfile.Target{Path: o.results, Overwrite: true}).Check() != nil {
		return command.Usage("name a file in an existing directory that you may write to", "--results %s cannot be written",
			o.results)
	}
	return nil
}

// batchFields are the columns of a batch.
var batchFields = []tabular.Field{
	{Name: "reference", Kind: tabular.Reference}, {Name: "vintage_id", Kind: tabular.ID},
	{Name: "quantity_grams", Kind: tabular.Grams, Known: "grams"},
	{Name: "sell_order_id", Kind: tabular.ID, Optional: true},
	{Name: "max_price_cents", Kind: tabular.Cents, Optional: true},
	{Name: "customer_name", Optional: true}, {Name: "customer_tax_id", Optional: true},
	{Name: "customer_country", Optional: true},
	{Name: "customer_id", Optional: true},
}

func (r *retireOptions) readLines(name string, table *tabular.Table) ([]*retire.Line, error) {
	records, faults, err := r.table.Records(name, table, tabular.Spec{Fields: batchFields, Strict: true})
	if err != nil {
		return nil, err
	}
	reference := func(l *retire.Line) string { return fold.Identity(l.Reference) }
	lines := filing.Lines(records, faults, lineFrom, reference, "has the same reference as line %d")
	if faults.Err() != nil {
		return nil, r.table.Refuse(name, faults)
	}
	return lines, nil
}

func lineFrom(record tabular.Record) (line *retire.Line, err error) {
	// The text of the file is not kept.
	cell := func(name string) string { return strings.Clone(record.Text(name)) }
	line = &retire.Line{Reference: fold.Trim(cell("reference")), MaxPrice: model.UnknownPrice,
		Request: retirement.RetireRequest{
			VintageID: cell("vintage_id"), SellOrderID: cell("sell_order_id"),
			Retiree: retirement.Retiree{
				Name: cell("customer_name"), TaxID: cell("customer_tax_id"), Country: cell("customer_country"),
				ID: fold.Trim(cell("customer_id")),
			},
		}}
	if line.Reference == "" {
		return line, errors.New("the reference is missing")
	}
	grams, _, stated := record.Number("quantity_grams")
	if !stated {
		return line, errors.New("the quantity is missing")
	}
	line.Request.Quantity = model.Grams(grams)
	if most, _, stated := record.Number("max_price_cents"); stated {
		line.MaxPrice = model.PriceCents(most)
	}
	return line, retire.Check(line.Reference, line.Request)
}
