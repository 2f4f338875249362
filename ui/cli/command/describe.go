package command

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tonne/model/advice"
	"tonne/model/field"
	"tonne/model/fold"
	"tonne/ui/output"
)

// Effect is what a command changes.
type Effect string

// The effects, in ascending order.
const (
	Reads        Effect = "reads"
	WritesLocal  Effect = "writes_local"
	writesRemote Effect = "writes_remote"
	Irrevocable  Effect = "irrevocable"
)

// Effects explains the effects.
var Effects = []NamedText{
	{string(Reads), "changes nothing except tonne's own records of what it read"},
	{string(WritesLocal), "writes files, keys or a database on this machine"},
	{string(writesRemote), "changes something at the marketplace that can be reverted"},
	{string(Irrevocable), "makes a change that cannot be undone"},
}

// Description is the part of a command's description that cobra does not have.
type Description struct {
	Effect    Effect
	Arguments []Argument
	Outputs   []OutputForm
}

// Argument is a positional argument of a command.
type Argument struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
	// Repeated reports that the argument may occur more than once.
	Repeated bool `json:"repeated"`
	// Joined reports that the repeated arguments are the words of one text.
	Joined bool `json:"-"`
}

// OutputForm describes the output of a command in some formats.
type OutputForm struct {
	Formats []output.Format `json:"formats"`
	// With is the flag or the case that selects this form. Empty means the default.
	With   string       `json:"with"`
	Fields []field.Path `json:"fields"`
	// Selectable are additional columns, which --columns and --sort accept.
	Selectable []string `json:"selectable,omitempty"`
	// Rows is the path in the JSON document whose items are the rows of this form. If there is a second path, an item
	// there is a row if it contains none of the first.
	Rows []string `json:"rows,omitempty"`
}

// flag returns the flag that selects the form, or nil.
func (f OutputForm) flag(cmd *cobra.Command) (flag *pflag.Flag) {
	cmd.Flags().VisitAll(func(known *pflag.Flag) {
		if f.With == "--"+known.Name {
			flag = known
		}
	})
	return flag
}

// Descriptions are the descriptions of commands.
type Descriptions map[*cobra.Command]Description

// Describe stores the description of a command and checks its arguments accordingly.
func (all Descriptions) Describe(cmd *cobra.Command, d Description) *cobra.Command {
	all[cmd] = d
	if cmd.Args == nil {
		cmd.Args = d.checkArguments
	}
	return cmd
}

// Group returns a command that only has sub-commands.
func (all Descriptions) Group(use, short, example string, below ...*cobra.Command) *cobra.Command {
	help := func(_ context.Context, cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd := &cobra.Command{Use: use, Short: short, Example: example, RunE: Do(help)}
	cmd.AddCommand(below...)
	return all.Describe(cmd, Description{Effect: Reads})
}

// Prints adds output forms to the description of a command.
func (all Descriptions) Prints(cmd *cobra.Command, forms ...OutputForm) {
	d := all[cmd]
	d.Outputs = append(d.Outputs, forms...)
	all[cmd] = d
}

func (d Description) checkArguments(cmd *cobra.Command, args []string) error {
	takes := len(d.Arguments)
	todo := advice.Format("run %s to see its arguments", commandOf(cmd, "--help"))
	empty := slices.IndexFunc(args, func(arg string) bool { return fold.Trim(arg) == "" })
	switch {
	case len(args) > 0 && cmd.HasSubCommands():
		return NoCommand(cmd, args[0])
	case len(args) > takes && (takes == 0 || !d.Arguments[takes-1].Repeated):
		return Usage(todo, "%s does not accept the argument %q", commandOf(cmd), args[takes])
	case len(args) < takes && d.Arguments[len(args)].Required:
		return Usage(todo, "%s needs %s: %s", commandOf(cmd), d.Arguments[len(args)].Name, d.Arguments[len(args)].Description)
	case empty >= 0:
		return Usage("leave it out, or check the variable that it comes from", "%s is empty",
			d.Arguments[min(empty, takes-1)].Name)
	case len(cmd.ValidArgs) > 0 && !slices.Contains(cmd.ValidArgs, args[0]):
		return Usage("permitted: "+strings.Join(cmd.ValidArgs, ", "), "%q is not a %s", args[0],
			strings.ToLower(d.Arguments[0].Name))
	}
	return nil
}

// ObjectForm describes an object that encoding/json writes.
func ObjectForm[T any](prefix string, formats ...output.Format) OutputForm {
	return OutputForm{Formats: formats, Fields: FieldsOf[T](prefix)}
}

// ListForms describes rows as an array, as lines and as CSV.
func ListForms[T any](c field.Columns[T]) []OutputForm {
	return []OutputForm{
		{Formats: []output.Format{output.JSON}, Fields: c.Fields("[].")},
		{Formats: []output.Format{output.JSONL}, Fields: c.Fields("")},
		RowForm("", c.RowFields(), output.CSV).Select(c.Extras()).In("[]"),
	}
}

// RowForm describes records with the fields of a CSV header.
func RowForm(with string, fields []field.Path, formats ...output.Format) OutputForm {
	return OutputForm{Formats: formats, With: with, Fields: fields}
}

// Select returns the form with additional columns, which --columns and --sort accept.
func (f OutputForm) Select(columns []string) OutputForm {
	f.Selectable = columns
	return f
}

// In returns the form with the path of its rows in JSON.
func (f OutputForm) In(rows ...string) OutputForm {
	f.Rows = rows
	return f
}

// NamedText is a name with its explanation.
type NamedText struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// FieldsOf describes the members of a struct in JSON.
func FieldsOf[T any](prefix string) []field.Path { return structFields(reflect.TypeFor[T](), prefix) }

func structFields(t reflect.Type, prefix string) []field.Path {
	var all []field.Path
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			all = append(all, structFields(f.Type, prefix)...)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		types, inner, step := jsonTypes(f)
		if strings.Contains(options, "omit") {
			types = append(types, "absent")
		}
		all = append(all, field.Path{Name: prefix + name, Types: types})
		if inner != nil {
			all = append(all, structFields(inner, prefix+name+step)...)
		}
	}
	return all
}

func jsonTypes(f reflect.StructField) (types []string, inner reflect.Type, step string) {
	t := f.Type
	if is := f.Tag.Get("is"); is != "" || t == reflect.TypeFor[field.Value]() {
		return []string{cmp.Or(is, "string"), "null"}, nil, ""
	}
	switch t.Kind() {
	case reflect.Pointer:
		if t.Elem().Kind() == reflect.String {
			return []string{"string", "null"}, nil, ""
		}
		return []string{"object", "null"}, t.Elem(), "."
	case reflect.Struct:
		return []string{"object"}, t, "."
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Struct && t.Elem() != reflect.TypeFor[advice.Text]() {
			inner = t.Elem()
		}
		return []string{"array"}, inner, "[]."
	case reflect.Bool:
		return []string{"boolean"}, nil, ""
	case reflect.String:
		return []string{"string"}, nil, ""
	}
	return []string{"number"}, nil, ""
}
