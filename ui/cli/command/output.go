package command

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
	"tonne/ui/cli/terminal"
)

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

func OutputFlag(cmd *cobra.Command, format *output.Format) {
	FormatFlag(cmd, format, output.Table, output.JSON, output.JSONL, output.CSV)
}

func FormatFlag(cmd *cobra.Command, format *output.Format, of ...output.Format) *output.Format {
	*format = of[0]
	cmd.Flags().VarP(&Choice{format, of}, "output", "o", "format of the data")
	return format
}

func (c *Choice) Names() []string {
	names := make([]string, len(c.of))
	for i, f := range c.of {
		names[i] = string(f)
	}
	return names
}

// String returns the name of the format that is chosen.
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

func (a *App) RowsCommand(cmd *cobra.Command, form OutputForm, header string, run func(context.Context, output.Format) error) *cobra.Command {
	var format output.Format
	cmd.Args = cobra.NoArgs
	cmd.RunE = Do(func(ctx context.Context, _ *cobra.Command, _ []string) error { return run(ctx, format) })
	a.ConnectionFlags(cmd)
	OutputFlag(cmd, &format)
	return a.Describe(cmd, Description{Effect: Reads, Outputs: []OutputForm{form, RowForm("", header, output.JSONL, output.CSV)}})
}

func (a *App) Grid(g *output.Grid) error {
	columns := 0
	if terminal.IsTerminal(a.Stdout) {
		columns = terminal.Width(a.Stdout)
	}
	return g.Write(a.Data(), columns, a.Styled(a.Stdout))
}

func Rfc3339(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func Day(t model.Timestamp) string { return output.Day(t) }

func Clock(t time.Time) string { return t.Local().Format("15:04:05 MST") }

func Dash(s string) string { return cmp.Or(s, "-") }

func Dollars(p model.PriceCents) string {
	if !p.Known() {
		return "-"
	}
	return p.FormatDollars()
}

func YearText(year int32) string {
	if year == 0 {
		return "-"
	}
	return fmt.Sprint(year)
}

func (a *App) TellFaults(faults []model.Fault) {
	switch len(faults) {
	case 0:
	case 1:
		a.Warn("a value could not be read and is left empty: %v", faults[0])
	default:
		a.Warn("%d values could not be read and are left empty, the first: %v", len(faults), faults[0])
	}
}

// Progress tells a person at a terminal how far a command is.
type Progress struct{ App *App }

func (a *App) NewProgress() *Progress { return &Progress{App: a} }

func (p *Progress) Tell(format string, args ...any) {
	a := p.App
	if !terminal.IsTerminal(a.Stderr) || a.IsDumb() || a.Accessible() {
		return
	}
	a.Told.Mu.Lock()
	defer a.Told.Mu.Unlock()
	if a.Told.Objects || a.Told.open {
		return
	}
	a.Told.progress = true
	fmt.Fprintf(a.Stderr, "\r\x1b[K"+format, args...)
}

func (p *Progress) Clear() {
	p.App.Told.Mu.Lock()
	defer p.App.Told.Mu.Unlock()
	if p.App.Told.progress {
		p.App.endLine()
	}
}
