package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tonne/ui/cli/output"
)

// effect is what a command changes.
type effect string

// The effects, the least first.
const (
	reads        effect = "reads"
	writesLocal  effect = "writes_local"
	writesRemote effect = "writes_remote"
	irrevocable  effect = "irrevocable"
)

// effects says what each effect means.
var effects = []namedText{
	{string(reads), "changes nothing but what tonne remembers of what it saw"},
	{string(writesLocal), "writes files, keys or a database of this machine"},
	{string(writesRemote), "changes something at the marketplace that can be changed back"},
	{string(irrevocable), "changes something for good"},
}

// description is what a command says of itself beside what cobra knows.
type description struct {
	effect    effect
	arguments []argument
	outputs   []outputForm
}

// argument is what stands behind a command without a flag.
type argument struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
	// Repeated says that there may be more of it.
	Repeated bool `json:"repeated"`
}

// outputForm is what a command prints in some formats.
type outputForm struct {
	Formats []output.Format `json:"formats"`
	// With is the flag that asks for this form, or the case that brings it;
	// empty is the usual one.
	With   string         `json:"with"`
	Fields []output.Field `json:"fields"`
}

func (a *app) describe(cmd *cobra.Command, d description) *cobra.Command {
	if a.described == nil {
		a.described = make(map[*cobra.Command]description)
	}
	a.described[cmd] = d
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			err := check(cmd, args)
			if told := new(failure); err == nil || errors.As(err, &told) {
				return err
			}
			return wrongArguments(cmd, d.arguments, args)
		}
	}
	return cmd
}

func (a *app) group(use, short, example string, below ...*cobra.Command) *cobra.Command {
	help := func(_ context.Context, cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd := &cobra.Command{Use: use, Short: short, Example: example, Args: onlyCommands, RunE: do(help)}
	cmd.AddCommand(below...)
	return a.describe(cmd, description{effect: reads})
}

func (a *app) prints(cmd *cobra.Command, forms ...outputForm) {
	d := a.described[cmd]
	d.outputs = append(d.outputs, forms...)
	a.described[cmd] = d
}

func wrongArguments(cmd *cobra.Command, takes []argument, args []string) error {
	todo := fmt.Sprintf("run `%s --help` to see what it takes", cmd.CommandPath())
	switch {
	case len(args) > len(takes):
		return usage(todo, "`%s` does not take the argument %q", cmd.CommandPath(), args[len(takes)])
	case len(args) < len(takes):
		return usage(todo, "`%s` needs %s: %s", cmd.CommandPath(), takes[len(args)].Name, takes[len(args)].Description)
	}
	return usage("permitted: "+strings.Join(cmd.ValidArgs, ", "), "%q is no %s", args[0], strings.ToLower(takes[0].Name))
}

func objectForm[T any](prefix string, formats ...output.Format) outputForm {
	return outputForm{Formats: formats, Fields: fieldsOf[T](prefix)}
}

func rowForm(with, header string, formats ...output.Format) outputForm {
	form := outputForm{Formats: formats, With: with}
	for name := range strings.SplitSeq(header, ",") {
		form.Fields = append(form.Fields, output.Field{Name: name, Types: []string{"string", "number", "boolean", "null"}})
	}
	return form
}

func documentForm(name string, of func(prefix string) []output.Field) outputForm {
	fields := append(fieldsOf[envelope](""), output.Field{Name: name, Types: []string{"array"}})
	return outputForm{Formats: []output.Format{output.JSON}, Fields: append(fields, of(name+"[].")...)}
}
