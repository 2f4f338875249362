package cli

import (
	"cmp"
	"context"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tonne/ui"
	"tonne/ui/cli/command"
	"tonne/ui/keymap"
)

func manCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "man",
		Short:   "Print the manual page",
		Example: "  tonne man > tonne.1\n  tonne man | man -l -",
		RunE: command.Do(func(_ context.Context, cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(a.TextOut(), manPage(schemaOf(a, cmd.Root()), ui.Keys()))
			return err
		}),
	}
	return a.Describe(cmd, command.Description{Effect: command.Reads})
}

func manPage(s schema, keys []keymap.Group) string {
	var p roff
	root := s.Commands[0]
	// Without a date, the same program prints the same page every day.
	p.line(`.TH TONNE 1 "" "tonne" "` + roffText(root.Short) + `"`)
	p.section("Name")
	p.text(s.Program + " - " + root.Short)
	p.section("Synopsis")
	p.line(`\fBtonne\fP [\fIflags\fP]`, ".br", `\fBtonne\fP \fIcommand\fP [\fIarguments\fP] [\fIflags\fP]`)
	p.section("Description")
	p.text(root.Description)
	p.section("Commands")
	for _, c := range s.Commands {
		p.command(c)
	}
	p.section("Keys of the dashboard")
	for _, g := range keys {
		p.line(".SS " + roffText(g.Name))
		for _, b := range g.Bindings {
			p.term(bold(strings.ReplaceAll(cmp.Or(b.Labels(), ":"), "↵", "Enter")), b.Help+" ("+b.Name+").")
		}
	}
	p.named("Files", s.Files)
	p.named("Environment", s.Environment)
	p.section("Exit status")
	for _, status := range s.ExitStatus {
		p.term(bold(strconv.Itoa(status.Status)), status.Description+".")
	}
	p.text("A dashboard that the runtime of its language ends, which is a mistake of the program, leaves the " +
		"terminal as " +
		"it is: type reset. With --debug, the log says where the program was.")
	return p.String()
}

func (p *roff) command(c commandSchema) {
	p.line(".SS " + roffText(c.Command))
	p.line(bold(c.Usage))
	p.line(".PP")
	p.text(c.Short + ".")
	if c.Description != "" {
		p.line(".PP")
		p.text(c.Description)
	}
	for _, a := range c.Arguments {
		p.term(`\fI`+roffText(a.Name)+`\fP`, a.Description+".")
	}
	for _, f := range c.Flags {
		p.term(flagTerm(f), flagText(f))
	}
	if len(c.Examples) > 0 {
		p.line(".PP", "Examples:", ".PP", ".nf")
		for _, example := range c.Examples {
			p.text("  " + example)
		}
		p.line(".fi")
	}
}

func flagTerm(f flagSchema) string {
	term := bold("--" + f.Name)
	if f.Shorthand != "" {
		term = bold("-"+f.Shorthand) + ", " + term
	}
	if f.Value != "" {
		term += ` \fI` + roffText(f.Value) + `\fP`
	}
	return term
}

func flagText(f flagSchema) string {
	switch f.Default {
	case "", "0", "false":
		return f.Description + "."
	}
	return f.Description + " (default " + f.Default + ")."
}

func (p *roff) named(title string, list []command.NamedText) {
	p.section(title)
	for _, n := range list {
		p.term(bold(n.Name), n.Description+".")
	}
}

type roff struct{ strings.Builder }

func (p *roff) line(lines ...string) {
	for _, line := range lines {
		p.WriteString(line + "\n")
	}
}

func (p *roff) text(text string) { p.line(roffText(text)) }

func (p *roff) section(title string) { p.line(".SH " + strings.ToUpper(title)) }

func (p *roff) term(term, meaning string) {
	p.line(".TP", term)
	p.text(meaning)
}

func bold(text string) string { return `\fB` + roffText(text) + `\fP` }

func roffText(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`, `"`, `\(dq`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		return `\&` + text
	}
	return text
}
