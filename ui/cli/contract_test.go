package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func tree(*testing.T) map[string]*cobra.Command {
	_, all := commandTree()
	return all
}

func TestCommandsHaveDocumentedFlags(t *testing.T) {
	t.Parallel()
	const shared = "base-url profile config timeout debug"
	const data = shared + " output"
	commands := tree(t)
	for path, flags := range map[string]string{
		"tonne":                        shared + " allow-retire",
		"tonne demo":                   "keep config debug",
		"tonne serve":                  "listen addr db demo-data live advance",
		"tonne serve keys create":      "tenant create-tenant role db",
		"tonne serve keys list":        "db",
		"tonne serve keys deactivate":  "db output",
		"tonne serve invoices":         "db output columns sort",
		"tonne serve settle":           "db",
		"tonne serve close-month":      "db",
		"tonne serve complete":         "db output serial certificate",
		"tonne serve catalogue import": "db output",
		"tonne serve catalogue export": "db output",
		"tonne serve orders import":    "db output seller",
		"tonne serve orders list":      "db output",
		"tonne serve orders reprice":   "db output",
		"tonne serve orders withdraw":  "db output",
		"tonne serve tenants create":   "db output tax-id country role",
		"tonne serve tenants edit":     "db output tax-id country role",
		"tonne serve tenants list":     "db output",
		"tonne serve requests list":    "db output state tenant",
		"tonne serve invoices list":    "db output open",
		"tonne serve move":             "from to output",
		"tonne serve backup":           "db output",
		"tonne market":                 data + " page per-page watch filter",
		"tonne inventory":              data + " page per-page watch filter trades trades-per-wallet trade-type wallet-min-quantity",
		"tonne retirement":             data + " file column certificates evidence wait pack sign",
		"tonne project":                data,
		"tonne quote":                  data + " vintage tonnes grams",
		"tonne compare":                data + " columns sort",
		"tonne reconcile":              data + " columns sort id tonnes grams date reference cost beneficiary xlsx",
		"tonne retire":                 data + " vintage tonnes grams allow-retire order customer tax-id country customer-id reference max-price max-cost dry-run yes file results same-tenant",
		"tonne retire pending":         data,
		"tonne retire resume":          data + " allow-retire yes same-tenant",
		"tonne retire abandon":         shared,
		"tonne basket":                 data + " tonnes budget filter max-price cap floor batch reference",
		"tonne watch":                  data + " vintage rule exec once",
		"tonne ledger":                 data + " from to status beneficiary",
		"tonne ledger find":            data + " from to status beneficiary pack sign",
		"tonne ledger close":           data + " pack sign",
		"tonne evidence verify":        "output",
		"tonne attributes import":      shared,
		"tonne attributes list":        data,
		"tonne statement":              data + " from to by fiscal-year fiscal-year-start xlsx",
		"tonne auth login":             shared,
		"tonne auth status":            shared,
		"tonne auth logout":            shared,
		"tonne config show":            shared,
		"tonne config init":            "config",
		"tonne config edit":            "config",
		"tonne completion":             "",
		"tonne man":                    "",
		"tonne version":                "",
	} {
		cmd := commands[path]
		if cmd == nil {
			t.Errorf("missing command %s", path)
			continue
		}
		for _, flag := range strings.Fields(flags) {
			if cmd.Flag(flag) == nil {
				t.Errorf("%s has no --%s", path, flag)
			}
		}
	}
	if short := commands["tonne market"].Flags().ShorthandLookup("o"); short == nil || short.Name != "output" || short.DefValue != "table" {
		t.Errorf("-o is %v", short)
	}
	for name, hidden := range map[string]bool{"listen": false, "addr": true} {
		if flag := commands["tonne serve"].Flags().Lookup(name); flag.DefValue != "127.0.0.1:8080" || flag.Hidden != hidden {
			t.Errorf("--%s is %s, hidden %v", name, flag.DefValue, flag.Hidden)
		}
	}
	if role := commands["tonne serve keys create"].Flags().Lookup("role"); role.DefValue != "API User" {
		t.Errorf("--role is %s", role.DefValue)
	}
}

func TestCommandsHaveDescriptionAndExamples(t *testing.T) {
	t.Parallel()
	for path, cmd := range tree(t) {
		if cmd.Short == "" || cmd.Example == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: %q, example %q", path, cmd.Short, cmd.Example)
		}
		for line := range strings.Lines(cmd.Example) {
			if !strings.Contains(line, "tonne") {
				t.Errorf("%s: the example %q does not run tonne", path, line)
			}
		}
	}
}

func TestHelpGoesToStandardOutput(t *testing.T) {
	t.Parallel()
	for path := range tree(t) {
		args := append(strings.Fields(path)[1:], "--help")
		r := newWorld(t, nil).unconfigured().run(args...)
		if r.status != 0 || !strings.Contains(r.stdout, "Examples:") || r.stderr != "" {
			t.Errorf("%s --help: status %d, %s", path, r.status, r.stderr)
		}
		checkHarmless(t, path+" --help", r.stdout)
	}
}

func TestCompletionScriptsForEachShell(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if got := newWorld(t, nil).must("completion", shell); !strings.Contains(got, "tonne") {
			t.Errorf("%s: %q", shell, got)
		}
	}
}

func TestCompletionDescriptionsHaveNoBackquotes(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"__complete", "market", "--"}, {"__complete", "serve", "keys", "list", "--"}, {"__complete", "--"}} {
		r := newWorld(t, nil).run(args...)
		if strings.Contains(r.stdout, "`") || !strings.Contains(r.stdout, "--") {
			t.Errorf("%v:\n%s", args, r.stdout)
		}
	}
}

func TestManAndVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).unconfigured()
	if got := w.must("man"); !strings.HasPrefix(got, ".TH TONNE 1") || !strings.Contains(got, "TONNE_API_KEY") {
		t.Errorf("man: %.200q", got)
	}
	if got := w.must("version"); !strings.HasPrefix(got, "tonne ") || !strings.Contains(got, "go1.") {
		t.Errorf("version: %q", got)
	}
	if flag, command := w.must("--version"), w.must("version"); flag != command {
		t.Errorf("--version prints %q, version %q", flag, command)
	}
}

// field returns the value of a word in lines of "word value".
func field(lines, word string) string {
	for line := range strings.Lines(lines) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name == word {
			return value
		}
	}
	return ""
}
