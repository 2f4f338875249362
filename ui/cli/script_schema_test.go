package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tonne/model/field"
	"tonne/ui/cli/command"
	"tonne/ui/cli/terminal"
	"tonne/ui/output"
)

// outputs compares the output of the scripts' commands with the schema.
type outputs struct {
	schema schema
	mu     sync.Mutex
	root   *cobra.Command
	// files are the flags and commands that use files of the working directory.
	files map[string]bool
}

func newOutputs(t *testing.T) *outputs {
	o := &outputs{schema: printedSchema(t), root: tree()["tonne"], files: map[string]bool{"edit": true}}
	local := regexp.MustCompile(`FILE|DIR|DATABASE|KEY|CMD`)
	for _, c := range o.schema.Commands {
		for _, f := range c.Flags {
			if local.MatchString(f.Value) {
				o.files["--"+f.Name], o.files["-"+f.Shorthand] = true, true
			}
		}
		for _, a := range c.Arguments {
			if local.MatchString(a.Name) {
				o.files[c.Command[strings.LastIndexByte(c.Command, ' ')+1:]] = true
			}
		}
	}
	return o
}

// usesFiles reports whether a command may use files of the working directory.
func (o *outputs) usesFiles(args []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		word, _, _ := strings.Cut(arg, "=")
		return o.files[word]
	})
}

// tree returns every command by path.
func tree() map[string]*cobra.Command {
	a := command.NewApp(command.Process{Getenv: os.Getenv, Now: time.Now}, new(terminal.Terminal))
	all := make(map[string]*cobra.Command)
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		all[cmd.CommandPath()] = cmd
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root(a))
	return all
}

// record compares an output with the schema. It returns a problem, or "".
func (o *outputs) record(args []string, r result) string {
	if typed := strings.Join(args, " "); r.stdout == "" ||
		!strings.Contains(typed, "json") && !strings.Contains(typed, "csv") {
		return ""
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	cmd, rest, err := o.root.Find(args)
	if err != nil || cmd.CommandPath() == "tonne completion" {
		return ""
	}
	i := slices.IndexFunc(o.schema.Commands, func(c commandSchema) bool { return c.Command == cmd.CommandPath() })
	if i < 0 {
		return "the schema has no " + cmd.CommandPath()
	}
	command := o.schema.Commands[i]
	formats := slices.IndexFunc(command.Flags, func(f flagSchema) bool { return f.Name == "output" })
	if formats < 0 {
		return ""
	}
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	format := flags.StringP("output", "o", command.Flags[formats].Default, "")
	help := flags.BoolP("help", "h", false, "")
	flags.String("columns", "", "")
	flags.String("view", "", "")
	if flags.Parse(rest) != nil || *help || *format == string(output.Table) || flags.Changed("columns") ||
		flags.Changed("view") {
		return ""
	}
	return compareOutput(command, output.Format(*format), r.stdout)
}

func compareOutput(c commandSchema, format output.Format, text string) string {
	forms := slices.DeleteFunc(slices.Clone(c.Outputs),
		func(f command.OutputForm) bool { return !slices.Contains(f.Formats, format) })
	if format == output.CSV {
		header, _, _ := strings.Cut(text, "\n")
		if slices.ContainsFunc(forms, func(form command.OutputForm) bool { return header == fieldNames(form) }) {
			return ""
		}
		return "the schema has no CSV header " + header
	}
	types, err := fieldTypes(text)
	if err != nil {
		return err.Error()
	}
	for name, kinds := range types {
		for kind := range kinds {
			if !slices.ContainsFunc(forms, func(form command.OutputForm) bool {
				return slices.ContainsFunc(form.Fields,
					func(f field.Path) bool { return f.Name == name && slices.Contains(f.Types, kind) })
			}) {
				return fmt.Sprintf("-o %s: the schema has no field %s of type %s", format, name, kind)
			}
		}
	}
	return ""
}

func fieldNames(form command.OutputForm) string {
	var names []string
	for _, f := range form.Fields {
		names = append(names, f.Name)
	}
	return strings.Join(names, ",")
}

// fieldTypes returns the paths and types in JSON or JSON lines.
func fieldTypes(text string) (map[string]map[string]bool, error) {
	into := make(map[string]map[string]bool)
	dec := json.NewDecoder(strings.NewReader(text))
	for dec.More() {
		var value any
		if err := dec.Decode(&value); err != nil {
			return nil, fmt.Errorf("%w in %s", err, text)
		}
		flatten(value, "", into)
	}
	return into, nil
}

// flatten collects the paths of a JSON value with their types.
func flatten(value any, path string, into map[string]map[string]bool) {
	kind := "null"
	switch v := value.(type) {
	case map[string]any:
		kind = "object"
		for name, member := range v {
			flatten(member, strings.TrimPrefix(path+"."+name, "."), into)
		}
	case []any:
		kind = "array"
		for _, item := range v {
			flatten(item, path+"[]", into)
		}
	case string:
		kind = "string"
	case float64:
		kind = "number"
	case bool:
		kind = "boolean"
	}
	if path != "" && !strings.HasSuffix(path, "[]") {
		if into[path] == nil {
			into[path] = make(map[string]bool)
		}
		into[path][kind] = true
	}
}
