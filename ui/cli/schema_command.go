package cli

import (
	"context"
	"fmt"
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
			return listing.Print(a, format, listing.Formats{
				Document: func() error { return output.Object(a.Data(), s) },
				Header:   schemaHeader,
				Rows:     func(rows output.Rows) { schemaRows(rows, s) },
				Table:    func() *output.Grid { return schemaTable(s) },
			})
		}),
	}
	command.OutputFlag(cmd, &format)
	format = output.JSON
	cmd.Flag("output").DefValue = string(output.JSON)
	return a.Describe(cmd, command.Description{Effect: command.Reads, Outputs: []command.OutputForm{
		{Formats: []output.Format{output.JSON}, Fields: command.FieldsOf[schema]("")},
		command.RowForm("", schemaHeader, output.JSONL, output.CSV),
	}})
}

const schemaHeader = "command,effect,flag,shorthand,type,value,default,inherited,description"

func schemaRows(rows output.Rows, s schema) {
	for _, c := range s.Commands {
		for _, f := range c.Flags {
			rows.Write(output.Text(c.Command), output.Text(string(c.Effect)), output.Text(f.Name), output.Optional(f.Shorthand),
				output.Text(f.Type), output.Optional(f.Value), output.Optional(f.Default), output.Text(strconv.FormatBool(f.Inherited)),
				output.Text(f.Description))
		}
	}
}

func schemaTable(s schema) *output.Grid {
	g := output.NewGrid(output.Heading{Title: "COMMAND"}, output.Heading{Title: "EFFECT"},
		output.Heading{Title: "FLAGS", Right: true, Drop: 1}, output.Heading{Title: "DOES", Shrink: 20})
	for _, c := range s.Commands {
		g.Add(c.Command, string(c.Effect), fmt.Sprint(len(c.Flags)), c.Short)
	}
	return g
}
