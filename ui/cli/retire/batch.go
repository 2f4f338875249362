package retire

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tonne/api/audit"
	"tonne/api/retire"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/output"
)

const batchHeader = "reference,vintage_id,quantity_grams,sell_order_id,max_price_cents,customer_name,customer_tax_id,customer_country,customer_id"

const longestBatch = 64 << 20

// readBatch reads all lines of the file, or returns an error. maxPrice applies to each line
// without a lower limit.
func (r *retireOptions) readBatch(maxPrice model.PriceCents) error {
	name := r.file
	if err := r.checkBatch(); err != nil {
		return err
	}
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	in := &io.LimitedReader{R: file, N: longestBatch + 1}
	lines, wrong := readLines(in)
	switch {
	case in.N == 0:
		return command.Usage("split it into several files, with different lines and references", "%s is longer than %d MiB; nothing was sent", name, longestBatch>>20)
	case len(wrong) > 0:
		return command.Usage("correct the file; nothing was sent", "%s: %s", name, filing.SomeOf(wrong))
	case len(lines) == 0:
		return command.Usage("add one line per retirement", "%s has no lines", name)
	}
	for _, line := range lines {
		if maxPrice.Known() && (!line.MaxPrice.Known() || maxPrice < line.MaxPrice) {
			line.MaxPrice = maxPrice
		}
	}
	r.sub.Batch, r.sub.Lines = filepath.Base(name), lines
	return nil
}

func (o *retireOptions) checkBatch() error {
	for flag, text := range map[string]string{
		"--vintage": o.vintage, "--tonnes": o.tonnes, "--grams": o.grams, "--order": o.order, "--reference": o.reference,
		"--customer": o.customer.Name, "--tax-id": o.customer.TaxID, "--country": o.customer.Country, "--customer-id": o.customer.ID,
	} {
		if text != "" {
			return command.Usage("leave it out: each line of the file has its own value", "%s and --file exclude each other", flag)
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
		return command.Usage("write it to a file first: a batch is identified by the name of its file", "%s is not a regular file", o.file)
	}
	if out, missing := os.Stat(o.results); err == nil && missing == nil && (os.SameFile(in, out) || !out.Mode().IsRegular()) {
		return command.Usage("name another file with --results", "%s is the batch itself, or not a regular file", o.results)
	}
	if audit.CheckPlace(o.results) != nil {
		return command.Usage("name a file in an existing directory that you may write to", "--results %s cannot be written", o.results)
	}
	return nil
}

func readLines(r io.Reader) (lines []*retire.Line, wrong []string) {
	in := command.NewCSV(r)
	in.ReuseRecord = true
	header, err := in.Read()
	names, at, unknown := strings.Split(batchHeader, ","), make(map[string]int), ""
	for i, name := range header {
		name = strings.TrimSpace(name)
		if mark := strings.IndexAny(name, ";\t"); mark >= 0 && len(header) == 1 {
			unknown = fmt.Sprintf("; its cells are separated by %q instead of \",\"", name[mark:mark+1])
		}
		if unknown == "" && !slices.Contains(names, strings.ToLower(name)) {
			unknown = fmt.Sprintf("; unknown column %q", wire.Clean(name))
		}
		at[strings.ToLower(name)] = i
	}
	needed := []string{"reference", "vintage_id", "quantity_grams"}
	missing := slices.ContainsFunc(needed, func(name string) bool { _, there := at[name]; return !there })
	if err != nil || unknown != "" || missing || len(at) < len(header) {
		return nil, []string{"the first line is not " + batchHeader + unknown}
	}
	read := func(cells []string) (*retire.Line, error) {
		return lineFrom(func(name string) string {
			if i, there := at[name]; there {
				return strings.Clone(strings.TrimSpace(unguarded(cells[i])))
			}
			return ""
		})
	}
	return command.LinesBelow(in, read, func(l *retire.Line) string { return l.Reference }, "line %d has the same reference as line %d")
}

// unguarded removes the apostrophe that prevents a spreadsheet from interpreting the cell
// as a formula. Any other leading apostrophe belongs to the text.
func unguarded(text string) string {
	if bare, cut := strings.CutPrefix(text, "'"); cut && output.Cell(bare) == text {
		return bare
	}
	return text
}

func lineFrom(cell func(name string) string) (line *retire.Line, err error) {
	line = &retire.Line{Reference: cell("reference"), MaxPrice: model.UnknownPrice, Request: retirement.RetireRequest{
		VintageID: cell("vintage_id"), SellOrderID: cell("sell_order_id"),
		Retiree: retirement.Retiree{Name: cell("customer_name"), TaxID: cell("customer_tax_id"), Country: cell("customer_country"), ID: cell("customer_id")},
	}}
	if line.Reference == "" {
		return line, errors.New("the reference is missing")
	}
	if line.Request.Quantity, err = model.ParseGrams(cell("quantity_grams")); err != nil {
		return line, fmt.Errorf("the quantity %q is not a whole number of grams", cell("quantity_grams"))
	}
	if most := cell("max_price_cents"); most != "" {
		n, err := model.ParseDigits(most)
		if err != nil {
			return line, fmt.Errorf("the price %q is not a whole number of cents", most)
		}
		line.MaxPrice = model.PriceCents(n)
	}
	return line, retire.Check(line.Reference, line.Request)
}
