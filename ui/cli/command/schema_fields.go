package command

import (
	"cmp"
	"reflect"
	"strings"

	"tonne/ui/output"
)

// NamedText says what something means.
type NamedText struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// FieldsOf describes the members of a struct in JSON.
func FieldsOf[T any](prefix string) []output.Field { return structFields(reflect.TypeFor[T](), prefix) }

func structFields(t reflect.Type, prefix string) []output.Field {
	var all []output.Field
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
		all = append(all, output.Field{Name: prefix + name, Types: types})
		if inner != nil {
			all = append(all, structFields(inner, prefix+name+step)...)
		}
	}
	return all
}

func jsonTypes(f reflect.StructField) (types []string, inner reflect.Type, step string) {
	t := f.Type
	if t == reflect.TypeFor[output.Value]() {
		return []string{cmp.Or(f.Tag.Get("is"), "string"), "null"}, nil, ""
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
		if t.Elem().Kind() == reflect.Struct {
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
