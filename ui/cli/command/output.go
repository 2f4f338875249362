package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tonne/model"
	"tonne/model/alert"
	"tonne/model/field"
	"tonne/ui/cli/terminal"
	"tonne/ui/output"
	"tonne/ui/style"
)

// YesNo returns yes or no.
func YesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// Choice is a flag that chooses one of some formats.
type Choice struct {
	format *output.Format
	of     []output.Format
}

// OutputFlag adds -o with all formats. The default is a table.
func OutputFlag(cmd *cobra.Command, format *output.Format) {
	FormatFlag(cmd, format, output.Table, output.JSON, output.JSONL, output.CSV)
}

// FormatFlag adds -o with some formats. The first is the default.
func FormatFlag(cmd *cobra.Command, format *output.Format, of ...output.Format) *output.Format {
	*format = of[0]
	cmd.Flags().VarP(&Choice{format, of}, "output", "o", "format of the data")
	return format
}

// Names returns the names of the formats.
func (c *Choice) Names() []string {
	names := make([]string, len(c.of))
	for i, f := range c.of {
		names[i] = string(f)
	}
	return names
}

// String returns the name of the chosen format.
func (c *Choice) String() string { return string(*c.format) }

// Type names the kind of value in help texts.
func (c *Choice) Type() string { return strings.Join(c.Names(), "|") }

// Set reads the name of a format.
func (c *Choice) Set(name string) error {
	if !slices.Contains(c.Names(), name) {
		return fmt.Errorf("permitted: %s", strings.Join(c.Names(), ", "))
	}
	*c.format = output.Format(name)
	return nil
}

// RowsCommand completes a command without arguments that prints rows in all formats.
func RowsCommand[T any](a *App, cmd *cobra.Command, columns field.Columns[T],
	run func(context.Context, output.Format) error) *cobra.Command {
	var format output.Format
	cmd.RunE = Do(func(ctx context.Context, _ *cobra.Command, _ []string) error { return run(ctx, format) })
	a.ConnectionFlags(cmd)
	a.ListFlags(cmd, &format)
	return a.Describe(cmd, Description{Effect: Reads, Outputs: ListForms(columns)})
}

// Verb completes a command of a marketplace without arguments.
func (a *App) Verb(cmd *cobra.Command, changes Effect, run func(context.Context, *App) error) *cobra.Command {
	cmd.RunE = Do(func(ctx context.Context, _ *cobra.Command, _ []string) error { return run(ctx, a) })
	a.ConnectionFlags(cmd)
	return a.Describe(cmd, Description{Effect: changes})
}

// Grid prints a table, at most as wide as the terminal, or its cells as lines.
func (a *App) Grid(g *output.Grid) error { return a.gridTo(a.Data(), a.Stdout, g) }

// Tell prints a table as Grid does, on standard error: what a command is about to do.
func (a *App) Tell(g *output.Grid) error { return a.gridTo(a.Stderr, a.Stderr, g) }

func (a *App) gridTo(w, stream io.Writer, g *output.Grid) error {
	if a.ascii {
		w = style.TextWriter{Writer: w, Aligned: true}
	}
	if a.Lines {
		return g.WriteLines(w)
	}
	return g.Write(w, terminal.Width(stream), a.Styled(stream))
}

// Rfc3339 writes a time in UTC.
func Rfc3339(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Clock writes a time of day with its zone.
func Clock(t time.Time) string { return t.Local().Format("15:04:05 MST") }

// Dash returns a dash for the empty text.
func Dash(s string) string { return cmp.Or(s, "-") }

// Dollars writes a price per tonne, or a dash.
func Dollars(p model.PriceCents) string {
	if !p.Known() {
		return "-"
	}
	return p.FormatDollars()
}

// YearText writes a year, or a dash for 0.
func YearText(year int32) string {
	if year == 0 {
		return "-"
	}
	return fmt.Sprint(year)
}

// Watched writes the value that a rule compares: a price, a quantity or a state.
func Watched(r alert.Rule, f alert.Facts) string {
	switch price, quantity, state := r.Watched(f); {
	case quantity.Known(), r.Measure == alert.Available:
		return quantity.FormatTonnes()
	case r.OnRequests():
		return string(state)
	default:
		return Dollars(price)
	}
}

// TellFaults warns of values that could not be read.
func (m *Messages) TellFaults(faults []model.Fault) {
	switch len(faults) {
	case 0:
	case 1:
		m.Warn("a value could not be read and is left empty: %v", faults[0])
	default:
		m.Warn("%d values could not be read and are left empty, the first: %v", len(faults), faults[0])
	}
}

// ListFlags adds -o with all formats, and the flags that select columns and sort.
func (a *App) ListFlags(cmd *cobra.Command, format *output.Format) {
	OutputFlag(cmd, format)
	a.SelectionFlags(cmd)
}

// SelectionFlags adds the flags that choose columns of a list and sort it.
func (a *App) SelectionFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&a.Selection.Columns, "columns", nil,
		"print only the columns `A,B` (CSV names); JSON is then a flat array")
	f.StringVar(&a.Selection.Sort, "sort", "", "sort by `COLUMN`, or -COLUMN for the largest first")
}

// CheckSelection refuses names of columns that the list of a command does not have.
func CheckSelection(a *App, cmd *cobra.Command) error {
	if a.Selection.Empty() {
		return nil
	}
	if watch := cmd.Flag("watch"); watch != nil && watch.Changed {
		return Usage("leave them out", "--columns, --sort and --view do not apply to --watch")
	}
	columns := columnsOf(a.Descriptions[cmd], cmd)
	for i, name := range a.Selection.Names() {
		if !slices.Contains(columns, name) {
			return Usage("the columns are: "+strings.Join(columns, ", "), "unknown column %q", name)
		}
		if i < len(a.Selection.Columns) && slices.Contains(a.Selection.Columns[:i], name) {
			return Usage("name each once", "--columns names %q twice", name)
		}
	}
	return nil
}

func columnsOf(d Description, cmd *cobra.Command) (columns []string) {
	for _, form := range d.Outputs {
		flag := form.flag(cmd)
		if !slices.Contains(form.Formats, output.CSV) || form.With != "" && (flag == nil || !flag.Changed) {
			continue
		}
		columns = nil
		for _, f := range form.Fields {
			columns = append(columns, f.Name)
		}
		columns = append(columns, form.Selectable...)
	}
	return columns
}

// amountAdvice explains the format of an amount in a flag.
const amountAdvice = "give dollars, such as $6.20 or 6.20, or cents, such as 620c"

// Amount reads the value of a flag: dollars or cents, 0 or more. The error is wrong usage.
func Amount(flag, text string) (model.Cents, error) {
	n, err := model.ParseAmount(text)
	if twice, ok := errors.AsType[*model.AmbiguousError](err); ok {
		return 0, Usage("give it with a sign", "%s %v", flag, twice)
	}
	if err == nil {
		return n, nil
	}
	next := amountAdvice
	if cents, err := model.ParseMoney(text); err == nil {
		next = "give dollars, " + cents.FormatDollars() + ", or cents, " + cents.String() + "c"
	}
	return 0, Usage(next, "%s %q is not an amount", flag, text)
}

// AmountAboveZero is like Amount, and refuses 0. Without a value it returns 0.
func AmountAboveZero(flag, text string) (model.Cents, error) {
	if text == "" {
		return 0, nil
	}
	n, err := Amount(flag, text)
	if err == nil && n == 0 {
		return 0, Usage(amountAdvice, "%s %q is not an amount above 0", flag, text)
	}
	return n, err
}

// PerTonne formats a price, such as "$6.20 per tonne".
func PerTonne(price model.PriceCents) string {
	if !price.Known() {
		return "none"
	}
	return price.FormatDollars() + " per tonne"
}
