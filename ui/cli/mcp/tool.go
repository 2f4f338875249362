package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tonne/ui/cli/command"
)

// The name of the argument for the number of rows in a result, and its values.
const (
	limitName = "limit"
	usualRows = 200
	mostRows  = 5000
)

// tool is a command as a tool. Its arguments are the flags of the command that select data, and limit.
type tool struct {
	*server
	sdk.Tool
	words []string
	// positional is the argument that is not a flag, or empty.
	positional string
	in         *jsonschema.Schema
	outputs    []command.OutputForm
}

func newTool(s *server, cmd *cobra.Command, d command.Description) *tool {
	t := &tool{server: s, words: strings.Fields(cmd.CommandPath())[1:], in: objectSchema(), outputs: d.Outputs}
	t.in.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	for _, arg := range d.Arguments {
		name, kind := strings.ToLower(arg.Name), "string"
		if arg.Repeated && !arg.Joined {
			name, kind = name+"s", "array"
		}
		if arg.Required {
			t.in.Required = append(t.in.Required, name)
		}
		// An optional single argument replaces a flag.
		if arg.Required || arg.Repeated {
			t.positional = name
			of := t.add(name, kind, arg.Description)
			if arg.Required && kind == "array" {
				of.MinItems = jsonschema.Ptr(1)
			}
		}
	}
	for _, flag := range command.AgentFlags(cmd) {
		_, help := pflag.UnquoteUsage(flag)
		t.add(flag.Name, flagKinds[flag.Value.Type()], help)
	}
	limit := t.add(limitName, "integer", "largest number of rows in the result")
	limit.Minimum, limit.Maximum = jsonschema.Ptr(1.0), jsonschema.Ptr(float64(mostRows))
	limit.Default = json.RawMessage(fmt.Sprint(usualRows))
	t.Tool = sdk.Tool{
		Name: strings.Join(t.words, "_"), Description: cmd.Short + ".\n\n" + cmd.Long, InputSchema: t.in,
		OutputSchema: outputSchema(d.Outputs),
		Annotations:  &sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: jsonschema.Ptr(true)},
	}
	return t
}

// flagKinds are the JSON types of flags. Quantities and money are texts.
var flagKinds = map[string]string{"bool": "boolean", "int": "integer", "stringSlice": "array", "stringArray": "array"}

func (t *tool) add(name, kind, help string) *jsonschema.Schema {
	of := &jsonschema.Schema{Type: kind, Description: help}
	switch kind {
	case "":
		of.Type = "string"
	case "array":
		of.Items = &jsonschema.Schema{Type: "string"}
	}
	t.in.Properties[name], t.in.PropertyOrder = of, append(t.in.PropertyOrder, name)
	return of
}

// parse returns the arguments of the command for a call, the paths of the rows in its JSON, and the limit. The error is
// wrong usage.
func (t *tool) parse(raw json.RawMessage) (args, rows []string, limit int, err error) {
	given := make(map[string]any)
	schema, err := t.in.Resolve(nil)
	if err == nil && len(raw) > 0 {
		err = json.Unmarshal(raw, &given)
	}
	if err == nil {
		err = schema.Validate(given)
	}
	if err != nil {
		return nil, nil, 0, command.Usage("the arguments are: "+strings.Join(t.in.PropertyOrder, ", "),
			"the arguments of %s are wrong: %v", t.Name, err)
	}
	limit, rows = usualRows, t.rowsWith("")
	var positional []string
	for _, name := range t.in.PropertyOrder {
		value, there := given[name]
		switch {
		case !there || value == false:
		case name == limitName:
			limit = int(value.(float64))
		case name == t.positional:
			positional = texts(value)
		default:
			for _, text := range texts(value) {
				args = append(args, "--"+name+"="+text)
			}
			if of := t.rowsWith("--" + name); of != nil {
				rows = of
			}
		}
	}
	return slices.Concat(t.words, args, []string{"--output=json", "--"}, positional), rows, limit, nil
}

// texts returns the texts of a list, or of one value.
func texts(value any) (all []string) {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	for _, item := range list {
		if n, isNumber := item.(float64); isNumber {
			item = strconv.FormatFloat(n, 'f', -1, 64)
		}
		all = append(all, fmt.Sprint(item))
	}
	return all
}

// rowsWith returns the paths of the rows in the form that a flag selects, or nil.
func (t *tool) rowsWith(flag string) []string {
	for _, form := range t.outputs {
		if form.With == flag && form.Rows != nil {
			return form.Rows
		}
	}
	return nil
}
