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
	"tonne/model/advice"
	must "tonne/model/musttest"
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
	must.Succeed(t, dec.Decode(&s))
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
		must.Hold(t,
			r.status == 0 && strings.Contains(r.stdout, "Examples:") && r.stderr == "" && cmd.Short != "" &&
				!strings.HasSuffix(cmd.Short, "."),
			path, "--help: status", r.status, r.stderr)
		shown, described := make(map[string]string), make(map[string]string)
		for _, found := range flagLine.FindAllStringSubmatch(r.stdout, -1) {
			shown[found[2]] = found[1]
		}
		c := s.command(t, path)
		for _, f := range c.Flags {
			described[f.Name] = f.Shorthand
		}
		must.Hold(t, len(shown) != 0 && maps.Equal(shown, described),
			path, "help shows", shown, "the schema has", described)
		_, section, found := strings.Cut(page, "\n.SS "+roffText(path)+"\n")
		section, _, _ = strings.Cut(section, "\n.SS ")
		for name := range shown {
			must.Hold(t, found && strings.Contains(section, `\fB`+roffText("--"+name)+`\fP`),
				"the man page does not name --", name, "of", path)
		}
		least, most := 0, len(c.Arguments)
		for _, a := range c.Arguments {
			if a.Required {
				least++
			}
			if a.Repeated {
				most = 9
			}
			must.Hold(t, a.Description != "", path, a.Name, "has no description")
		}
		word := append(cmd.ValidArgs, "x")[0]
		for n := range 4 {
			err := cmd.Args(cmd, slices.Repeat([]string{word}, n))
			must.Hold(t, (n >= least && n <= most) == (err == nil) || path == "tonne help",
				path, "with", n, "arguments", err, "but the schema says", least, "to", most)
		}
		isEffect := func(e command.NamedText) bool { return e.Name == string(c.Effect) }
		irrevocable := slices.Contains([]string{"settle", "complete", "close-month", "deactivate"}, cmd.Name())
		must.Hold(t, slices.ContainsFunc(command.Effects, isEffect) && (!irrevocable || c.Effect == command.Irrevocable),
			path, "the effect is", c.Effect)
		for _, example := range c.Examples {
			must.Hold(t, strings.Contains(example, "tonne"), path, "the example", example, "does not run tonne")
		}
	}
	must.Equal(t, len(s.Commands), len(commands), "the schema has", "commands, the program")
}

func TestSchemaHasFlagDefaultsAndCodes(t *testing.T) {
	t.Parallel()
	s := printedSchema(t)
	for path, want := range map[string]flagSchema{
		"tonne market": {"output", "o", "table|json|jsonl|csv", "", "table", "format of the data", false},
		"tonne serve":  {"listen", "", "string", "ADDRESS", "127.0.0.1:8080", "ADDRESS to listen on", false},
		"tonne serve keys list": {
			"db", "", "string", "FILE", "",
			"database FILE, or PostgreSQL address postgres://… (default under the XDG data directory)", true,
		},
	} {
		flags := s.command(t, path).Flags
		must.Hold(t, slices.ContainsFunc(flags, func(f flagSchema) bool {
			f.Value = map[bool]string{true: f.Value}[want.Value != ""]
			return f == want
		}),
			path, "no", want, "in", flags)
	}
	for _, code := range slices.Concat(slices.Collect(maps.Values(command.CallCodes)),
		slices.Collect(maps.Values(command.StatusCodes))) {
		must.Hold(t, slices.ContainsFunc(s.Failure.Codes, func(f command.FailureCode) bool { return f.Code == code }),
			"the schema has no code", code)
	}
	text := fmt.Sprint(exitStatuses)
	must.Hold(t, strings.Contains(text, "{130 ended by INT}"), text)
}

// The page itself is a generated document.
func TestManPageNamesEveryKeyAndIsValid(t *testing.T) {
	t.Parallel()
	page := newWorld(t, nil).unconfigured().must("man")
	for _, g := range ui.Keys() {
		for _, b := range g.Bindings {
			must.Hold(t, strings.Contains(page, "("+roffText(b.Name)+")."), "lacks the key", b.Name)
		}
	}
	for text, want := range map[string]string{".TH x": `\&.TH x`, "'x": `\&'x`, `a\nb`: `a\enb`, "--flag": `\-\-flag`,
		"`x`": `\(gax\(ga`} {
		must.Equal(t, roffText(text), want, text, "is")
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		return
	}
	cmd := exec.Command(groff, "-man", "-Tutf8", "-ww", "-z", "-K", "utf8")
	cmd.Stdin = strings.NewReader(page)
	warnings, err := cmd.CombinedOutput()
	must.Hold(t, err == nil && len(warnings) == 0, err, warnings)
}

func TestSchemaAndManPageListEveryEnvironmentVariable(t *testing.T) {
	t.Parallel()
	read := regexp.MustCompile(`(?:Getenv|dir)\("([A-Z_]+)"|"(VISUAL|EDITOR)"|a\.Value\("([a-z_]+)"`)
	page, known := newWorld(t, nil).must("man"), make(map[string]bool)
	for _, v := range printedSchema(t).Environment {
		known[v.Name] = false
		must.Hold(t, strings.Contains(page, `\fB`+v.Name+`\fP`), "the man page does not name", v.Name)
	}
	for _, file := range slices.Concat(must.Get(filepath.Glob(projectRoot+"/ui/cli/*.go")),
		must.Get(filepath.Glob(projectRoot+"/ui/cli/*/*.go"))) {
		if strings.HasSuffix(file, "_test.go") || filepath.Base(file) == "schema.go" {
			continue
		}
		for _, found := range read.FindAllStringSubmatch(string(must.Get(os.ReadFile(file))), -1) {
			name := found[1] + found[2]
			if found[3] != "" {
				if name = config.Find(found[3]).Env; name == "" {
					continue
				}
			}
			_, found := known[name]
			must.Hold(t, found, file, "reads", name, "which is not in the schema")
			known[name] = true
		}
	}
	for name, used := range known {
		must.Hold(t, used, name, "is in the schema, but never read")
	}
}

// Without these flags, the suggested command would use another marketplace.
func TestAdviceRepeatsProfileFlags(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		profile, config, baseURL string
		text                     advice.Text
		want                     string
	}{
		{"", "", "", advice.Format("see %s", advice.Tonne("retire pending")), "see `tonne retire pending`"},
		{"acme", "", "", advice.Format("see %s", advice.Tonne("retire pending")),
			"see `tonne retire pending --profile acme`"},
		{"our acme's", "", "", advice.Format("%s", advice.Tonne("retire abandon x --carried-out R")),
			"`tonne retire abandon x --carried-out R --profile 'our acme'\\''s'`"},
		{"acme", "/a b.toml", "https://m.example",
			advice.Format("%s or %s", advice.Tonne("market"), advice.Tonne("inventory")),
			"`tonne market --profile acme --config '/a b.toml' --base-url https://m.example` or `tonne inventory --profile acme --config '/a b.toml' --base-url https://m.example`"},
		{"", "c.toml", "", advice.Format("%s, %s", advice.Tonne("config edit"), advice.Tonne("--plain")),
			"`tonne config edit --config c.toml`, `tonne --plain --config c.toml`"},
		{"acme", "", "", advice.Format("%s", advice.Tonne("auth login --profile acme --base-url URL")),
			"`tonne auth login --profile acme --base-url URL`"},
		{"acme", "", "https://m.example",
			advice.Format("%s, %s, %s, %s", advice.Tonne("serve keys list"), advice.Tonne("demo"), advice.Tonne("--help"),
				advice.Tonne("no such")), "`tonne serve keys list`, `tonne demo`, `tonne --help`, `tonne no such`"},
		{"acme", "", "", advice.Format("`--not-carried-out`"), "`--not-carried-out`"},
	} {
		a := command.NewApp(command.Process{Getenv: os.Getenv}, new(terminal.Terminal))
		root(a)
		a.Flags["profile"], a.Flags["config"], a.Flags["base_url"] = tt.profile, tt.config, tt.baseURL
		got := a.Advice(tt.text)
		must.Hold(t, got == tt.want && a.Flags["profile"] == tt.profile, tt.text, got, "want", tt.want)
	}
	guest := command.NewApp(command.Process{Guest: new(command.Guest)}, new(terminal.Terminal))
	guest.Flags = map[string]string{"profile": "acme"}
	must.Equal(t, guest.Advice(advice.Format("%s", advice.Tonne("market"))), "`ssh DESK market`")
}

func TestFailureWrapsItsCause(t *testing.T) {
	t.Parallel()
	err := command.Failed("make room", "%w", fmt.Errorf("open: %w", retire.ErrDisk))
	must.Hold(t, errors.Is(err, retire.ErrDisk) && err.Error() == "open: "+retire.ErrDisk.Error(), err)
	err = command.Failed("do it", "no error is in %q", "it")
	must.Hold(t, errors.Unwrap(err) == nil, err, "wraps", errors.Unwrap(err))
}
