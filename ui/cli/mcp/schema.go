package mcp

import (
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"tonne/model/field"
	"tonne/ui/cli/command"
	"tonne/ui/output"
)

// outputSchema describes the result of a tool: the JSON of its command, or the list of its rows if columns or an order
// are selected.
func outputSchema(forms []command.OutputForm) *jsonschema.Schema {
	var documents, items []*jsonschema.Schema
	for _, form := range forms {
		of := documentSchema(form.Fields)
		switch isJSON := slices.Contains(form.Formats, output.JSON); {
		case isJSON && of.Items != nil:
			items = append(items, of.Items)
		case isJSON:
			documents = append(documents, of)
		case form.Rows != nil:
			of.Required = nil
			items = append(items, of)
		}
	}
	s := documentSchema(command.FieldsOf[result](""))
	s.Properties["result"] = &jsonschema.Schema{AnyOf: append(documents,
		&jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{AnyOf: items}})}
	s.Properties["truncated"].Description = "true if rows beyond the limit were left out; sums include them"
	s.Properties["rows"].Description = "the number of rows without the limit, if some were left out"
	return s
}

// documentSchema describes a JSON document by the paths of its fields.
func documentSchema(fields []field.Path) *jsonschema.Schema {
	root := objectSchema()
	for _, f := range fields {
		at, steps := root, strings.Split(f.Name, ".")
		last := len(steps) - 1
		for _, step := range steps[:last] {
			name, isArray := strings.CutSuffix(step, "[]")
			if name != "" {
				at = at.Properties[name]
			}
			if isArray && at.Items == nil {
				at.Items = objectSchema()
			}
			if isArray {
				at = at.Items
			}
		}
		types := slices.DeleteFunc(slices.Clone(f.Types), func(t string) bool { return t == "absent" })
		of := objectSchema()
		of.Type, of.Types = "", types
		at.Properties[steps[last]] = of
		if len(types) == len(f.Types) {
			at.Required = append(at.Required, steps[last])
		}
	}
	return root
}

func objectSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Properties: make(map[string]*jsonschema.Schema)}
}
