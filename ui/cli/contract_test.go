package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tonne/api/retire"
	"tonne/ui"
	"tonne/ui/cli/command"
	"tonne/ui/cli/config"
	"tonne/ui/cli/terminal"
)

// printedSchema returns the schema that the program prints.
func printedSchema(t *testing.T) schema {
	t.Helper()
	var s schema
	dec := json.NewDecoder(strings.NewReader(newWorld(t, nil).unconfigured().must("schema", "-o", "json")))
	dec.DisallowUnknownFields()
	check(t, dec.Decode(&s))
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

func TestSchemaAndManPageMatchHelp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).unconfigured()
	s, page, commands := printedSchema(t), w.must("man"), tree()
	for path, cmd := range commands {
		r := w.run(append(strings.Fields(path)[1:], "--help")...)
		if r.status != 0 || !strings.Contains(r.stdout, "Examples:") || r.stderr != "" || cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s --help: status %d, %s", path, r.status, r.stderr)
		}
		shown, described := make(map[string]string), make(map[string]string)
		for _, found := range flagLine.FindAllStringSubmatch(r.stdout, -1) {
			shown[found[2]] = found[1]
		}
		c := s.command(t, path)
		for _, f := range c.Flags {
			described[f.Name] = f.Shorthand
		}
		if len(shown) == 0 || !maps.Equal(shown, described) {
			t.Errorf("%s: help shows %v, the schema has %v", path, shown, described)
		}
		_, section, found := strings.Cut(page, "\n.SS "+roffText(path)+"\n")
		section, _, _ = strings.Cut(section, "\n.SS ")
		for name := range shown {
			if !found || !strings.Contains(section, `\fB`+roffText("--"+name)+`\fP`) {
				t.Errorf("the man page does not name --%s of %s", name, path)
			}
		}
		least, most := 0, len(c.Arguments)
		for _, a := range c.Arguments {
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
		word := append(cmd.ValidArgs, "x")[0]
		for n := range 4 {
			err := cmd.Args(cmd, slices.Repeat([]string{word}, n))
			if want := n >= least && n <= most; want != (err == nil) && path != "tonne help" {
				t.Errorf("%s with %d arguments: %v, but the schema says %d to %d", path, n, err, least, most)
			}
		}
		isEffect := func(e command.NamedText) bool { return e.Name == string(c.Effect) }
		irrevocable := slices.Contains([]string{"settle", "complete", "close-month", "deactivate"}, cmd.Name())
		if !slices.ContainsFunc(command.Effects, isEffect) || irrevocable && c.Effect != command.Irrevocable {
			t.Errorf("%s: the effect is %q", path, c.Effect)
		}
		for _, example := range c.Examples {
			if !strings.Contains(example, "tonne") {
				t.Errorf("%s: the example %q does not run tonne", path, example)
			}
		}
	}
	if len(s.Commands) != len(commands) {
		t.Errorf("the schema has %d commands, the program %d", len(s.Commands), len(commands))
	}
}

func TestSchemaHasFlagDefaultsAndCodes(t *testing.T) {
	t.Parallel()
	s := printedSchema(t)
	for path, want := range map[string]flagSchema{
		"tonne market": {"output", "o", "table|json|jsonl|csv", "", "table", "format of the data", false},
		"tonne serve":  {"listen", "", "string", "ADDRESS", "127.0.0.1:8080", "ADDRESS to listen on", false},
		"tonne serve keys list": {
			"db", "", "string", "FILE", "", "database FILE, or PostgreSQL address postgres://… (default under the XDG data directory)", true,
		},
	} {
		if flags := s.command(t, path).Flags; !slices.ContainsFunc(flags, func(f flagSchema) bool {
			f.Value = map[bool]string{true: f.Value}[want.Value != ""]
			return f == want
		}) {
			t.Errorf("%s: no %+v in %+v", path, want, flags)
		}
	}
	for _, code := range slices.Concat(slices.Collect(maps.Values(command.CallCodes)), slices.Collect(maps.Values(command.StatusCodes))) {
		if !slices.ContainsFunc(s.Failure.Codes, func(f command.FailureCode) bool { return f.Code == code }) {
			t.Errorf("the schema has no code %q", code)
		}
	}
	if text := fmt.Sprint(exitStatuses); !strings.Contains(text, "{130 ended by INT}") {
		t.Error(text)
	}
}

// The page itself is a generated document.
func TestManPageNamesEveryKeyAndIsValid(t *testing.T) {
	t.Parallel()
	page := newWorld(t, nil).unconfigured().must("man")
	for _, g := range ui.Keys() {
		for _, b := range g.Bindings {
			if !strings.Contains(page, "("+roffText(b.Name)+").") {
				t.Errorf("lacks the key %s", b.Name)
			}
		}
	}
	for text, want := range map[string]string{".TH x": `\&.TH x`, "'x": `\&'x`, `a\nb`: `a\enb`, "--flag": `\-\-flag`, "`x`": `\(gax\(ga`} {
		if got := roffText(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		return
	}
	cmd := exec.Command(groff, "-man", "-Tutf8", "-ww", "-z", "-K", "utf8")
	cmd.Stdin = strings.NewReader(page)
	if warnings, err := cmd.CombinedOutput(); err != nil || len(warnings) > 0 {
		t.Errorf("%v: %s", err, warnings)
	}
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
	for _, file := range slices.Concat(must(filepath.Glob(projectRoot+"/ui/cli/*.go")), must(filepath.Glob(projectRoot+"/ui/cli/*/*.go"))) {
		if strings.HasSuffix(file, "_test.go") || filepath.Base(file) == "schema.go" {
			continue
		}
		for _, found := range read.FindAllStringSubmatch(string(must(os.ReadFile(file))), -1) {
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

// Without these flags, the suggested command would use another marketplace.
func TestAdviceRepeatsProfileFlags(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ profile, config, baseURL, text, want string }{
		{"", "", "", "see `tonne retire pending`", "see `tonne retire pending`"},
		{"acme", "", "", "see `tonne retire pending`", "see `tonne retire pending --profile acme`"},
		{"our acme's", "", "", "`tonne retire abandon x --carried-out R`", "`tonne retire abandon x --carried-out R --profile 'our acme'\\''s'`"},
		{"acme", "/a b.toml", "https://m.example", "`tonne market` or `tonne inventory`",
			"`tonne market --profile acme --config '/a b.toml' --base-url https://m.example` or `tonne inventory --profile acme --config '/a b.toml' --base-url https://m.example`"},
		{"", "c.toml", "", "`tonne config edit`, `tonne --plain`", "`tonne config edit --config c.toml`, `tonne --plain --config c.toml`"},
		{"acme", "", "", "`tonne auth login --profile acme --base-url URL`", "`tonne auth login --profile acme --base-url URL`"},
		{"acme", "", "https://m.example", "`tonne serve keys list`, `tonne demo`, `tonne --help`, `tonne no such`", "`tonne serve keys list`, `tonne demo`, `tonne --help`, `tonne no such`"},
		{"acme", "", "", "`--not-carried-out`", "`--not-carried-out`"},
	} {
		a := command.NewApp(command.Process{Getenv: os.Getenv}, new(terminal.Terminal))
		root(a)
		a.Flags["profile"], a.Flags["config"], a.Flags["base_url"] = tt.profile, tt.config, tt.baseURL
		if got := a.Advice(tt.text); got != tt.want || a.Flags["profile"] != tt.profile {
			t.Errorf("%s\n%s, want\n%s", tt.text, got, tt.want)
		}
	}
	guest := command.NewApp(command.Process{Guest: new(command.Guest)}, new(terminal.Terminal))
	guest.Flags = map[string]string{"profile": "acme"}
	if got := guest.Advice("`tonne market`"); got != "`ssh DESK market`" {
		t.Error(got)
	}
}

func TestFailureWrapsItsCause(t *testing.T) {
	t.Parallel()
	err := command.Failed("make room", "%w", fmt.Errorf("open: %w", retire.ErrDisk))
	if !errors.Is(err, retire.ErrDisk) || err.Error() != "open: "+retire.ErrDisk.Error() {
		t.Errorf("%v", err)
	}
	if err := command.Failed("do it", "no error is in %q", "it"); errors.Unwrap(err) != nil {
		t.Errorf("%v wraps %v", err, errors.Unwrap(err))
	}
}
