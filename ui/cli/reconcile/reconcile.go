// Package reconcile is `tonne reconcile`: it compares the user's own records of retirements with
// the ledger and the marketplace. The rules are in package api/audit/reconcile. Start with Command.
package reconcile

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tonne/api/audit/reconcile"
	"tonne/model"
	"tonne/model/advice"
	"tonne/model/file/localfile"
	"tonne/model/file/tabular"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/listing"
	"tonne/ui/column"
	"tonne/ui/output"
)

type run struct {
	app *command.App
	*listing.Connection
	format  output.Format
	table   *filing.Table
	columns map[reconcile.Column]*string
	ignored []string
	xlsx    string
	// overwrite replaces the file of xlsx.
	overwrite bool
}

func (r *run) target() localfile.Target {
	return localfile.Target{Path: r.xlsx, Overwrite: r.overwrite}
}

// usages are the help texts of the flags of columns.
var usages = map[reconcile.Column]string{
	reconcile.IDColumn:          "`COLUMN` with the ids of retirement requests",
	reconcile.TonnesColumn:      "`COLUMN` with quantities in tonnes",
	reconcile.KilogramsColumn:   "`COLUMN` with quantities in kilograms",
	reconcile.GramsColumn:       "`COLUMN` with quantities in grams",
	reconcile.DateColumn:        "`COLUMN` with dates",
	reconcile.ReferenceColumn:   "`COLUMN` with references, as given to `tonne retire`",
	reconcile.CostColumn:        "`COLUMN` with amounts of money",
	reconcile.BeneficiaryColumn: "`COLUMN` with names of beneficiaries",
	reconcile.CurrencyColumn:    "`COLUMN` with the currency of the amounts; only US dollars are compared",
	reconcile.UnitColumn:        "`COLUMN` with the unit of the quantities; another than that of their column is refused",
}

// Command returns `tonne reconcile`.
func Command(a *command.App) *cobra.Command {
	r := &run{app: a, columns: make(map[reconcile.Column]*string)}
	cmd := &cobra.Command{
		Use:   "reconcile FILE",
		Short: "Compare your own records of retirements with the ledger",
		Long: "Compares each record of a CSV or .xlsx, such as an ERP export, with the ledger and the\n" +
			"marketplace: by its id, else by its reference or label, else by date, quantity and\n" +
			"beneficiary together. Ids that the ledger lacks are looked up. Requests between the first and\n" +
			"the last date of the file that no record names are missing_in_file.\n\n" +
			"Columns are recognised by their titles, such as id, tonnes, date, reference, cost and\n" +
			"beneficiary, also in other languages; --ignore leaves them out. A date matches the UTC day on\n" +
			"which the request or an item was made, or on which it was retired. Records of the same request or\n" +
			"reference are compared by their sum; a quantity below zero is a reversal and reduces it. What the ledger does " +
			"not know is not compared, except\n" +
			"quantities and dates. The status is 0 if all records match, and 1 if not.",
		Example: "  tonne reconcile erp.csv\n" +
			"  tonne reconcile erp.csv --reference 'PO number' --tonnes Menge --date Belegdatum\n" +
			"  tonne reconcile erp.csv -o csv > differences.csv\n" +
			"  tonne reconcile erp.csv --xlsx differences.xlsx",
		RunE: command.Do(r.run),
	}
	a.ConnectionFlags(cmd)
	a.ListFlags(cmd, &r.format)
	f := cmd.Flags()
	for _, c := range reconcile.Columns() {
		r.columns[c] = f.String(string(c), "", usages[c])
	}
	f.StringSliceVar(&r.ignored, "ignore", nil, "do not read these `COLUMNS`, such as reference,cost")
	r.table = filing.NewTable(a, f, "compared")
	r.table.AddFormats(f, true)
	f.StringVar(&r.xlsx, "xlsx", "", "also write the result to a new `FILE.xlsx`")
	command.OverwriteFlag(cmd, &r.overwrite)
	return a.Describe(cmd, command.Description{
		Effect: command.WritesLocal,
		Arguments: []command.Argument{
			{Name: "FILE", Description: "CSV or .xlsx with a line of titles; - is standard input", Required: true},
		},
		Outputs: []command.OutputForm{
			{Formats: []output.Format{output.JSON}, Fields: column.ReconciledJSON.Fields("[].")},
			command.RowForm("", column.Reconciled.RowFields(), output.JSONL, output.CSV),
		},
	})
}

func (r *run) run(ctx context.Context, cmd *cobra.Command, args []string) error {
	if err := filing.CheckNew("xlsx", r.target()); err != nil {
		return err
	}
	file, records, err := r.read(ctx, cmd, args[0])
	if err != nil {
		return err
	}
	if !r.printsColumns() {
		r.informOfColumns(file)
	}
	if r.Connection, err = listing.Connect(ctx, r.app); err != nil {
		return err
	}
	defer r.Close()
	ledger, err := filing.FreshLedger(ctx, r.Connection)
	if err != nil {
		return err
	}
	result, err := filing.Auditor(r.Connection).Reconcile(ctx, ledger, records)
	r.app.ClearProgress()
	if err != nil {
		return err
	}
	if err := r.print(file, result); err != nil {
		return err
	}
	encode := func(path string) ([]byte, error) { return column.EncodeReconciliation(path, result) }
	if err := filing.WriteNew(ctx, r.target(), "the result", encode); err != nil {
		return err
	}
	if len(result.Lines) == result.Count(reconcile.Matched) {
		return nil
	}
	if !r.printsColumns() {
		r.informOfSums(result)
	}
	todo := advice.Format("correct your records, or look the requests up with %s", advice.Tonne("retirement ID"))
	return command.Failed(todo, "%s", column.ReconciledCounts(result))
}

// read reads the records of a file, with the titles of the columns.
func (r *run) read(ctx context.Context, cmd *cobra.Command, path string) (*tabular.Records, []reconcile.Record, error) {
	given := make(map[reconcile.Column]string)
	for c, title := range r.columns {
		if cmd.Flags().Changed(string(c)) {
			given[c] = strings.TrimSpace(*title)
		}
	}
	var quantities []string
	for _, c := range reconcile.Quantities() {
		if given[c] != "" {
			quantities = append(quantities, "--"+string(c))
		}
	}
	if len(quantities) > 1 {
		return nil, nil, command.Usage("give one of them", "%s exclude each other", strings.Join(quantities, " and "))
	}
	var ignored []reconcile.Column
	for _, name := range r.ignored {
		if !slices.Contains(reconcile.Columns(), reconcile.Column(name)) {
			return nil, nil, command.Usage("choose from "+columnNames(), "--ignore %s is not a column", name)
		}
		ignored = append(ignored, reconcile.Column(name))
	}
	r.table.Quiet = true
	table, err := r.table.Read(ctx, path, tabular.Largest)
	if missing, ok := errors.AsType[*os.PathError](err); ok {
		return nil, nil, command.Usage("give a file with a line of titles", "%s cannot be read: %v", path, missing.Err)
	}
	if err != nil {
		return nil, nil, err
	}
	s := reconcile.Spec(given, ignored)
	s.Flag = func(name string) string { return "--" + name }
	file, faults, err := r.table.Records(path, table, s)
	switch {
	case err != nil:
		return nil, nil, err
	case faults.Err() != nil:
		return nil, nil, r.table.Refuse(path, faults)
	}
	return file, reconcile.Records(file), nil
}

// columnNames returns the names of all columns.
func columnNames() string {
	var names []string
	for _, c := range reconcile.Columns() {
		names = append(names, string(c))
	}
	return strings.Join(names, ", ")
}

func (r *run) print(file *tabular.Records, result reconcile.Reconciliation) error {
	in := listing.NewFormats(r.app, column.Reconciled, column.ReconciledFields(result.Lines))
	in.Document = func() error {
		return output.List(r.app.Data(), column.ReconciledJSON.Objects(column.Records(result.Lines)))
	}
	in.Tables = func(rows iter.Seq[column.ReconciledField]) []*output.Grid {
		records := slices.DeleteFunc(slices.Collect(rows), func(f column.ReconciledField) bool { return f.At > 0 })
		shown := column.Reconciled.Pick("line", "id", "reference", "DATE", "QUANTITY", "result", "DIFFERENCES")
		return []*output.Grid{output.GridOf(shown, slices.Values(records)), monthGrid(result), columnGrid(file)}
	}
	if err := in.Print(r.format); err != nil {
		return err
	}
	if !r.printsColumns() {
		r.informOfHints(result)
	}
	for _, note := range column.ReconciledNotes(result) {
		r.app.Warn("%s", note)
	}
	return nil
}

// printsColumns reports whether the output has the columns and sums.
func (r *run) printsColumns() bool {
	return r.format == output.Table && len(r.app.Selection.Columns) == 0
}

func (r *run) inform(format string, args ...any) {
	r.app.Note(command.Notice{Code: command.InformationCode, Message: fmt.Sprintf(format, args...)})
}

// informOfColumns reports which columns were read.
func (r *run) informOfColumns(file *tabular.Records) {
	var read []string
	for _, c := range reconcile.Columns() {
		if title, found := file.Titles[string(c)]; found {
			read = append(read, fmt.Sprintf("%s from %q", c, title))
		}
	}
	r.inform("read %s", strings.Join(read, ", "))
}

// informOfSums reports the sums of each month.
func (r *run) informOfSums(result reconcile.Reconciliation) {
	for _, m := range column.ReconciledMonths(result, model.Grams.FormatTonnes)[1:] {
		r.inform("%s: %s in the file, %s here", m[0], m[1], m[2])
	}
}

// mostHints limits the records whose hints are printed below the data.
const mostHints = 20

// informOfHints reports the hints of records, which a table has next to the records.
func (r *run) informOfHints(result reconcile.Reconciliation) {
	printed, more := 0, 0
	for _, line := range result.Lines {
		switch words := column.HintWords(line); {
		case len(words) == 0:
		case printed == mostHints:
			more++
		default:
			printed++
			r.inform("line %d: %s", line.Line, strings.Join(words, "; "))
		}
	}
	if more > 0 {
		r.inform("%s more with hints, which -o table shows", model.Count(more, "record", "records"))
	}
}

func monthGrid(result reconcile.Reconciliation) *output.Grid {
	rows := column.ReconciledMonths(result, model.Grams.FormatTonnes)
	titles := rows[0]
	grid := output.NewGrid(output.Heading{Title: titles[0]}, output.Heading{Title: titles[1], Right: true},
		output.Heading{Title: titles[2], Right: true}, output.Heading{})
	for _, row := range rows[1:] {
		grid.Add(row...)
	}
	return grid
}

func columnGrid(file *tabular.Records) *output.Grid {
	grid := output.NewGrid(output.Heading{Title: "COMPARED"}, output.Heading{Title: "COLUMN OF THE FILE", Shrink: 12})
	for _, c := range reconcile.Columns() {
		if title, found := file.Titles[string(c)]; found {
			grid.Add(string(c), title)
		}
	}
	if len(file.Unread) > 0 {
		grid.Add("not compared", strings.Join(file.Unread, ", "))
	}
	return grid
}
