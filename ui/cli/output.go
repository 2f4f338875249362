package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tonne/model"
	"tonne/ui/cli/output"
)

// choice is a flag that chooses one of some formats.
type choice struct {
	format *output.Format
	of     []output.Format
}

func outputFlag(cmd *cobra.Command, format *output.Format) {
	formatFlag(cmd, format, output.Table, output.JSON, output.JSONL, output.CSV)
}

func formatFlag(cmd *cobra.Command, format *output.Format, of ...output.Format) *output.Format {
	*format = of[0]
	cmd.Flags().VarP(&choice{format, of}, "output", "o", "format of the data")
	return format
}

func (c *choice) names() []string {
	names := make([]string, len(c.of))
	for i, f := range c.of {
		names[i] = string(f)
	}
	return names
}

// String returns the name of the format that is chosen.
func (c *choice) String() string { return string(*c.format) }

// Type names the kind of value in help texts.
func (c *choice) Type() string { return strings.Join(c.names(), "|") }

// Set reads the name of a format.
func (c *choice) Set(name string) error {
	if !slices.Contains(c.names(), name) {
		return fmt.Errorf("permitted: %s", strings.Join(c.names(), ", "))
	}
	*c.format = output.Format(name)
	return nil
}

func (a *app) rowsCommand(cmd *cobra.Command, form outputForm, header string, run func(context.Context, output.Format) error) *cobra.Command {
	var format output.Format
	cmd.Args = cobra.NoArgs
	cmd.RunE = do(func(ctx context.Context, _ *cobra.Command, _ []string) error { return run(ctx, format) })
	a.connectionFlags(cmd)
	outputFlag(cmd, &format)
	return a.describe(cmd, description{effect: reads, outputs: []outputForm{form, rowForm("", header, output.JSONL, output.CSV)}})
}

func (a *app) grid(g *output.Grid) error {
	columns := 0
	if isTerminal(a.Stdout) {
		columns = width(a.Stdout)
	}
	return g.Write(a.data(), columns, a.styled(a.Stdout))
}

func rfc3339(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func day(t model.Timestamp) string { return output.Day(t) }

func clock(t time.Time) string { return t.Local().Format("15:04:05 MST") }

func dash(s string) string { return cmp.Or(s, "-") }

func dollars(p model.PriceCents) string {
	if !p.Known() {
		return "-"
	}
	return p.FormatDollars()
}

func yearText(year int32) string {
	if year == 0 {
		return "-"
	}
	return fmt.Sprint(year)
}

func (a *app) tellFaults(faults []model.Fault) {
	switch len(faults) {
	case 0:
	case 1:
		a.warn("a value could not be read and is left empty: %v", faults[0])
	default:
		a.warn("%d values could not be read and are left empty, the first: %v", len(faults), faults[0])
	}
}

// progress tells a person at a terminal how far a command is.
type progress struct{ app *app }

func (a *app) newProgress() *progress { return &progress{app: a} }

func (p *progress) tell(format string, args ...any) {
	a := p.app
	if !isTerminal(a.Stderr) || a.isDumb() || a.accessible() {
		return
	}
	a.told.mu.Lock()
	defer a.told.mu.Unlock()
	if a.told.objects || a.told.open {
		return
	}
	a.told.progress = true
	fmt.Fprintf(a.Stderr, "\r\x1b[K"+format, args...)
}

func (p *progress) clear() {
	p.app.told.mu.Lock()
	defer p.app.told.mu.Unlock()
	if p.app.told.progress {
		p.app.endLine()
	}
}
