package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tonne/api/apitest"
	"tonne/ui/cli/command"
	"tonne/ui/cli/config"
	"tonne/ui/output"
)

// printedSchema returns the schema that the program prints.
func printedSchema(t *testing.T) schema {
	t.Helper()
	var s schema
	dec := json.NewDecoder(strings.NewReader(newWorld(t, nil).unconfigured().must("schema", "-o", "json")))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s schema) command(t *testing.T, path string) commandSchema {
	t.Helper()
	for _, c := range s.Commands {
		if c.Command == path {
			return c
		}
	}
	t.Fatalf("the schema has no %s", path)
	return commandSchema{}
}

// flagLine matches a flag in a help text.
var flagLine = regexp.MustCompile(`(?m)^ +(?:-(\w), )?--([\w-]+)`)

func TestSchemaAndManPageListEveryCommandAndFlag(t *testing.T) {
	t.Parallel()
	s, page := printedSchema(t), newWorld(t, nil).must("man")
	commands := tree(t)
	for path := range commands {
		help := newWorld(t, nil).must(append(strings.Fields(path)[1:], "--help")...)
		shown := make(map[string]string)
		for _, found := range flagLine.FindAllStringSubmatch(help, -1) {
			shown[found[2]] = found[1]
		}
		described := make(map[string]string)
		for _, f := range s.command(t, path).Flags {
			described[f.Name] = f.Shorthand
		}
		if len(shown) == 0 || !maps.Equal(shown, described) {
			t.Errorf("%s: help shows %v, the schema has %v", path, shown, described)
		}
		_, section, found := strings.Cut(page, "\n.SS "+roffText(path)+"\n")
		if !found {
			t.Errorf("the man page has no section %s", path)
		}
		section, _, _ = strings.Cut(section, "\n.SS ")
		for name := range shown {
			if !strings.Contains(section, `\fB`+roffText("--"+name)+`\fP`) {
				t.Errorf("the man page does not name --%s of %s", name, path)
			}
		}
	}
	if len(s.Commands) != len(commands) {
		t.Errorf("the schema has %d commands, the program %d", len(s.Commands), len(commands))
	}
}

func TestSchemaHasFlagDefaultsAndTypes(t *testing.T) {
	t.Parallel()
	s := printedSchema(t)
	for _, want := range []struct {
		path string
		flag flagSchema
	}{
		{"tonne market", flagSchema{"output", "o", "table|json|jsonl|csv", "", "table", "format of the data", false}},
		{"tonne market", flagSchema{"every", "", "duration", "", "5s", "time between two polls of --watch", false}},
		{"tonne serve", flagSchema{"listen", "", "string", "ADDRESS", "127.0.0.1:8080", "ADDRESS to listen on", false}},
		{"tonne serve keys list", flagSchema{"db", "", "string", "FILE", "", "database FILE, or PostgreSQL address postgres://… (default under the XDG data directory)", true}},
	} {
		i := slices.IndexFunc(s.command(t, want.path).Flags, func(f flagSchema) bool { return f.Name == want.flag.Name })
		if i < 0 {
			t.Fatalf("%s has no --%s", want.path, want.flag.Name)
		}
		got := s.command(t, want.path).Flags[i]
		if want.flag.Value == "" {
			got.Value = ""
		}
		if got != want.flag {
			t.Errorf("%s: got %+v, want %+v", want.path, got, want.flag)
		}
	}
}

func TestSchemaHasEffectOfEveryCommand(t *testing.T) {
	t.Parallel()
	for _, c := range printedSchema(t).Commands {
		if !slices.ContainsFunc(command.Effects, func(e command.NamedText) bool { return e.Name == string(c.Effect) }) {
			t.Errorf("%s: unknown effect %q", c.Command, c.Effect)
		}
		for _, word := range []string{"settle", "complete", "close-month", "deactivate"} {
			if strings.HasSuffix(c.Command, " "+word) != (c.Effect == command.Irrevocable) && strings.HasSuffix(c.Command, " "+word) {
				t.Errorf("%s is %s", c.Command, c.Effect)
			}
		}
	}
}

func TestCommandArgumentsMatchSchema(t *testing.T) {
	t.Parallel()
	s := printedSchema(t)
	for path, cmd := range tree(t) {
		least, most := 0, 0
		for _, a := range s.command(t, path).Arguments {
			most++
			if a.Required {
				least++
			}
			if a.Repeated {
				most = 9
			}
			if a.Description == "" {
				t.Errorf("%s: %s has no description", path, a.Name)
			}
		}
		word := "x"
		if len(cmd.ValidArgs) > 0 {
			word = cmd.ValidArgs[0]
		}
		if path == "tonne help" {
			word = "help"
		}
		for n := range 4 {
			err := cmd.Args(cmd, slices.Repeat([]string{word}, n))
			if want := n >= least && n <= most; want != (err == nil) && path != "tonne help" {
				t.Errorf("%s with %d arguments: %v, but the schema says %d to %d", path, n, err, least, most)
			}
		}
	}
}

// checkTypes checks that JSON has exactly the described fields, with their types.
func checkTypes(t *testing.T, what, text string, fields []output.Field) {
	t.Helper()
	printed := must(fieldTypes(text))
	known := make(map[string]bool)
	for _, f := range fields {
		known[f.Name] = true
		if printed[f.Name] == nil && !slices.Contains(f.Types, "absent") {
			t.Errorf("%s lacks field %s of the schema", what, f.Name)
		}
		for kind := range printed[f.Name] {
			if !slices.Contains(f.Types, kind) {
				t.Errorf("%s: field %s is a %s, but the schema has %v", what, f.Name, kind, f.Types)
			}
		}
	}
	for path := range printed {
		if !known[path] {
			t.Errorf("%s: field %s is not in the schema", what, path)
		}
	}
}

// form returns the described fields of a command in a format.
func (c commandSchema) form(t *testing.T, format output.Format, with ...string) []output.Field {
	t.Helper()
	var fields []output.Field
	for _, f := range c.Outputs {
		if slices.Contains(f.Formats, format) && slices.Contains(with, f.With) {
			fields = append(fields, f.Fields...)
		}
	}
	if len(fields) == 0 {
		t.Fatalf("%s: the schema has no form for %s %v", c.Command, format, with)
	}
	return fields
}

func TestCommandOutputMatchesSchema(t *testing.T) {
	t.Parallel()
	s := printedSchema(t)
	checkOutput(t, s.command(t, "tonne schema"), output.JSON, newWorld(t, nil).must("schema"), "")
	for _, c := range []struct {
		args []string
		with []string
	}{
		{[]string{"market"}, []string{""}}, {[]string{"inventory"}, []string{""}}, {[]string{"inventory", "--trades"}, []string{"--trades"}},
		{[]string{"project"}, []string{""}}, {[]string{"quote", "V1", "1000"}, []string{""}},
		{[]string{"retirement", "R1", "R2"}, []string{""}},
		{[]string{"basket", "--tonnes", "1000", "--cap", "project=60%"}, []string{""}},
	} {
		command := s.command(t, "tonne "+c.args[0])
		for _, format := range []output.Format{output.JSON, output.JSONL, output.CSV} {
			if format == output.JSON && c.with[0] == "--trades" {
				continue
			}
			args := append(slices.Clone(c.args), "-o", string(format))
			checkOutput(t, command, format, newWorld(t, new(service)).must(args...), c.with...)
		}
	}
}

// checkOutput checks that the output of a command matches its description.
func checkOutput(t *testing.T, command commandSchema, format output.Format, text string, with ...string) {
	t.Helper()
	fields, what := command.form(t, format, with...), command.Command+" -o "+string(format)
	if format != output.CSV {
		checkTypes(t, what, text, fields)
		return
	}
	header, _, _ := strings.Cut(text, "\n")
	if got := strings.Split(header, ","); !slices.EqualFunc(got, fields, func(name string, f output.Field) bool { return name == f.Name }) {
		t.Errorf("%s: the header is %s", what, header)
	}
}

func TestFailedLookUpOutputMatchesSchema(t *testing.T) {
	t.Parallel()
	command := printedSchema(t).command(t, "tonne retirement")
	for _, format := range []output.Format{output.JSON, output.JSONL} {
		r := newWorld(t, new(service)).run("retirement", "R9", "-o", string(format))
		checkTypes(t, "retirement of an id that failed, "+string(format), r.stdout, command.form(t, format, "an id that failed"))
		r = newWorld(t, new(service)).run("retirement", "R1", "R2", "R9", "-o", string(format))
		fields := command.form(t, format, "", "an id that failed")
		checkTypes(t, "retirement, "+string(format), r.stdout, fields)
	}
}

func TestWatchOutputMatchesSchema(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		for _, c := range []struct{ path, from, to, command string }{
			{"/api/market", `"620"`, `"610"`, "market"}, {"/api/inventory", `"999980"`, `"999990"`, "inventory"},
		} {
			text := watchOnce(t, c.path, c.from, c.to, c.command, "--watch", "-o", "jsonl")
			checkTypes(t, c.command+" --watch", text, printedSchema(t).command(t, "tonne "+c.command).form(t, output.JSONL, "--watch"))
		}
	})
}

func TestStandardErrorMatchesSchema(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s := printedSchema(t)
		checkTypes(t, "failure", newWorld(t, apitest.Status(401, "{}")).run("market", "-o", "json").stderr, s.Failure.Fields)
		r := newWorld(t, apitest.Sequence(apitest.RateLimited("2"), new(service))).run("project", "-o", "json")
		checkTypes(t, "wait", r.stderr, s.Failure.NoticeFields)
		for _, code := range command.CallCodes {
			if !slices.ContainsFunc(s.Failure.Codes, func(f command.FailureCode) bool { return f.Code == code }) {
				t.Errorf("the schema has no code %q", code)
			}
		}
		for _, code := range command.StatusCodes {
			if !slices.ContainsFunc(s.Failure.Codes, func(f command.FailureCode) bool { return f.Code == code }) {
				t.Errorf("the schema has no code %q", code)
			}
		}
	})
}

func TestSchemaAndManPageListEveryEnvironmentVariable(t *testing.T) {
	t.Parallel()
	read := regexp.MustCompile(`(?:Getenv|dir)\("([A-Z_]+)"|"(VISUAL|EDITOR)"|a\.Value\("([a-z_]+)"`)
	page, known := newWorld(t, nil).must("man"), make(map[string]bool)
	for _, v := range printedSchema(t).Environment {
		known[v.Name] = false
		if !strings.Contains(page, `\fB`+v.Name+`\fP`) {
			t.Errorf("the man page does not name %s", v.Name)
		}
	}
	files, err := filepath.Glob(projectRoot + "/ui/cli/*.go")
	if err != nil {
		t.Fatal(err)
	}
	subfolders, err := filepath.Glob(projectRoot + "/ui/cli/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range slices.Concat(files, subfolders) {
		if strings.HasSuffix(file, "_test.go") || filepath.Base(file) == "schema.go" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range read.FindAllStringSubmatch(string(text), -1) {
			name := found[1] + found[2]
			if found[3] != "" {
				if name = config.Find(found[3]).Env; name == "" {
					continue
				}
			}
			if _, found := known[name]; !found {
				t.Errorf("%s reads %s, which is not in the schema", file, name)
			}
			known[name] = true
		}
	}
	for name, used := range known {
		if !used {
			t.Errorf("%s is in the schema, but never read", name)
		}
	}
}

func TestSchemaHasExitStatusOfSignals(t *testing.T) {
	t.Parallel()
	if text := fmt.Sprint(exitStatuses); !strings.Contains(text, "{130 ended by INT}") {
		t.Error(text)
	}
}
