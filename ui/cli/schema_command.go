package cli

import (
	"context"
	"iter"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/cli/output"
)

func schemaCommand(a *command.App) *cobra.Command {
	var format output.Format
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Describe every command, flag, output field and exit status",
		Long: "Describes the command line to a program: what each command takes, prints and changes,\n" +
			"how a failure is told and what each exit status means. -o table is an overview.",
		Example: "  tonne schema | jq '.commands[] | select(.effect == \"reads\") | .command'\n  tonne schema -o table",
		Args:    cobra.NoArgs,
		RunE: command.Do(func(_ context.Context, cmd *cobra.Command, _ []string) error {
			s := schemaOf(a, cmd.Root())
			in := listing.NewFormats(a, flagColumns, s.flags())
			in.Document = func() error { return output.Object(a.Data(), s) }
			in.Tables = func() []*output.Grid { return []*output.Grid{commandColumns.Grid(slices.Values(s.Commands))} }
			return in.Print(format)
		}),
	}
	command.OutputFlag(cmd, &format)
	format = output.JSON
	cmd.Flag("output").DefValue = string(output.JSON)
	return a.Describe(cmd, command.Description{Effect: command.Reads, Outputs: []command.OutputForm{
		{Formats: []output.Format{output.JSON}, Fields: command.FieldsOf[schema]("")},
		command.RowForm("", flagColumns.Header(), output.JSONL, output.CSV),
	}})
}

// commandFlag is a flag of a command.
type commandFlag struct {
	commandSchema
	flag flagSchema
}

func (s schema) flags() iter.Seq[commandFlag] {
	return func(yield func(commandFlag) bool) {
		for _, c := range s.Commands {
			for _, f := range c.Flags {
				if !yield(commandFlag{c, f}) {
					return
				}
			}
		}
	}
}

var flagColumns = output.Columns[commandFlag]{
	{Name: "command", Value: func(f commandFlag) output.Value { return output.Text(f.Command) }},
	{Name: "effect", Value: func(f commandFlag) output.Value { return output.Text(string(f.Effect)) }},
	{Name: "flag", Value: func(f commandFlag) output.Value { return output.Text(f.flag.Name) }},
	{Name: "shorthand", Value: func(f commandFlag) output.Value { return output.Optional(f.flag.Shorthand) }},
	{Name: "type", Value: func(f commandFlag) output.Value { return output.Text(f.flag.Type) }},
	{Name: "value", Value: func(f commandFlag) output.Value { return output.Optional(f.flag.Value) }},
	{Name: "default", Value: func(f commandFlag) output.Value { return output.Optional(f.flag.Default) }},
	{Name: "inherited", Value: func(f commandFlag) output.Value { return output.Text(strconv.FormatBool(f.flag.Inherited)) }},
	{Name: "description", Value: func(f commandFlag) output.Value { return output.Text(f.flag.Description) }},
}

var commandColumns = output.Columns[commandSchema]{
	{Title: "COMMAND", Cell: func(c commandSchema) string { return c.Command }},
	{Title: "EFFECT", Cell: func(c commandSchema) string { return string(c.Effect) }},
	{Title: "FLAGS", Right: true, Drop: 1, Cell: func(c commandSchema) string { return strconv.Itoa(len(c.Flags)) }},
	{Title: "DOES", Shrink: 20, Cell: func(c commandSchema) string { return c.Short }},
}
