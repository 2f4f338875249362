package cli

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"tonne/ui/cli/command"
	"tonne/ui/cli/terminal"
)

// tree returns every command, by its path.
func tree(t *testing.T) map[string]*cobra.Command {
	t.Helper()
	a := command.NewApp(command.Process{Getenv: os.Getenv, Now: time.Now}, new(terminal.Terminal), nil)
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

func TestEveryCommandOfTheContractIsThereWithItsFlags(t *testing.T) {
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
		"tonne serve keys deactivate":  "db",
		"tonne serve invoices":         "db",
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
		"tonne serve requests list":    "db output state tenant older-than",
		"tonne serve invoices list":    "db output open",
		"tonne serve move":             "from to output",
		"tonne serve backup":           "db",
		"tonne market":                 data + " page per-page watch filter",
		"tonne inventory":              data + " page per-page watch filter trades trades-per-wallet trade-type wallet-min-quantity",
		"tonne retirement":             data + " file column certificates evidence wait pack sign",
		"tonne project":                data,
		"tonne quote":                  data + " vintage tonnes grams",
		"tonne retire":                 data + " vintage tonnes grams allow-retire order customer tax-id country customer-id reference max-price max-cost dry-run yes file results same-tenant",
		"tonne retire pending":         data,
		"tonne retire resume":          data + " allow-retire yes same-tenant",
		"tonne retire abandon":         shared,
		"tonne basket":                 data + " tonnes budget filter max-price cap floor",
		"tonne watch":                  data + " vintage rule exec once",
		"tonne ledger":                 data,
		"tonne ledger find":            data + " pack sign",
		"tonne ledger close":           data + " pack sign",
		"tonne evidence verify":        "output",
		"tonne attributes import":      shared,
		"tonne attributes list":        data,
		"tonne attributes propose":     data,
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
		"tonne retirement seen":        shared + " registry-url page who",
	} {
		cmd := commands[path]
		if cmd == nil {
			t.Errorf("there is no %s", path)
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

func TestEveryCommandExplainsItselfWithExamples(t *testing.T) {
	t.Parallel()
	for path, cmd := range tree(t) {
		if cmd.Short == "" || cmd.Example == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: %q, example %q", path, cmd.Short, cmd.Example)
		}
		for line := range strings.Lines(cmd.Example) {
			if !strings.Contains(line, "tonne") {
				t.Errorf("%s: the example %q is none of tonne", path, line)
			}
		}
	}
}

func TestHelpIsPrintedOnStandardOutput(t *testing.T) {
	t.Parallel()
	for path := range tree(t) {
		args := append(strings.Fields(path)[1:], "--help")
		r := newWorld(t, nil).unconfigured().run(args...)
		if r.status != 0 || !strings.Contains(r.stdout, "Examples:") || r.stderr != "" {
			t.Errorf("%s --help: status %d, %s", path, r.status, r.stderr)
		}
		harmless(t, path+" --help", r.stdout)
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

func TestCompletionOffersWhatThisMachineKnows(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service))
	w.must("market") // remembers the projects
	if err := w.memory().Remember(t.Context(), baseURL, time.Now(), "R77"); err != nil {
		t.Fatal(err)
	}
	w.handler = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a completion asks the service") })
	w.configure(strings.Replace(twoProfiles, "profile = \"test\"\n", "", 1))
	for want, args := range map[string][]string{
		"P1\t=Bale": {"__complete", "project", ""}, "V1\t=Bale": {"__complete", "quote", "--vintage", ""},
		"V1\t=Bale \"Mountains\", ET 2019": {"__complete", "quote", ""}, "R77": {"__complete", "retirement", "R1", ""},
		"prod": {"__complete", "market", "--profile", ""}, "jsonl": {"__complete", "market", "-o", ""},
		"BUY": {"__complete", "inventory", "--trade-type", ""}, "powershell": {"__complete", "completion", ""},
	} {
		if r := w.run(args...); !strings.Contains(r.stdout, want) {
			t.Errorf("%v does not offer %q:\n%s", args, want, r.stdout)
		}
	}
}

func TestCompletionsDescribeFlagsWithoutMarks(t *testing.T) {
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

func TestAMistypedCommandIsGuessed(t *testing.T) {
	t.Parallel()
	r := newWorld(t, nil).run("markt")
	if _, todo := r.sentences(t); todo != "Did you mean `tonne market`?" {
		t.Errorf("%s", todo)
	}
}

func TestHelpForWhatIsNoCommandIsRefused(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"help nope": "Run `tonne --help` to see the commands.", "help markt": "Did you mean `tonne market`?",
		"help market nope": "Run `tonne market --help` to see what there is.", "help auth lgin": "Did you mean `tonne auth login`?",
	} {
		r := newWorld(t, nil).run(strings.Fields(args)...)
		if _, todo := r.sentences(t); r.status != 2 || r.stdout != "" || todo != want {
			t.Errorf("tonne %s: status %d, %s", args, r.status, todo)
		}
	}
	for args, want := range map[string]string{"help": "tonne [command]", "help market": "tonne market", "help serve keys list": "tonne serve keys list"} {
		if got := newWorld(t, nil).must(strings.Fields(args)...); !strings.Contains(got, want) {
			t.Errorf("tonne %s prints\n%s", args, got)
		}
	}
}

func TestServeKeysAreShownOnceAndListedWithoutTheKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).unconfigured()
	db := filepath.Join(w.env["HOME"], "market.db")
	serve := func(args ...string) result { return w.run(append([]string{"serve", "--db", db}, args...)...) }
	made := serve("keys", "create", "--tenant", "acme", "--create-tenant", "--name", "ci")
	id, secret := field(made.stdout, "id"), field(made.stdout, "key")
	if made.status != 0 || len(secret) != 64 {
		t.Fatalf("status %d: %s%s", made.status, made.stdout, made.stderr)
	}
	list := serve("keys", "list")
	if !strings.Contains(list.stdout, id) || !strings.Contains(list.stdout, "API User") || strings.Contains(list.stdout, secret) {
		t.Errorf("list:\n%s", list.stdout)
	}
	if r := serve("keys", "create", "--tenant", "acme"); r.status != 0 {
		t.Errorf("a second key: status %d", r.status)
	}
	if r := serve("keys", "create", "--tenant", "acme"); r.status != 1 {
		t.Errorf("a third key: status %d", r.status)
	} else {
		r.sentences(t)
	}
	if r := serve("keys", "deactivate", id); r.status != 0 {
		t.Errorf("deactivate: status %d, %s", r.status, r.stderr)
	}
	for _, args := range [][]string{{"keys", "deactivate", "nope"}, {"settle", "nope"}, {"complete", "nope"}} {
		r := serve(args...)
		if r.status != 4 {
			t.Errorf("%v: status %d", args, r.status)
		}
		r.sentences(t)
	}
	if r := serve("invoices"); r.status != 0 || !strings.HasPrefix(r.stdout, "ID") {
		t.Errorf("invoices: status %d, %s%s", r.status, r.stdout, r.stderr)
	}
	backup := filepath.Join(w.env["HOME"], "backup.db")
	if r := serve("backup", backup); r.status != 0 {
		t.Errorf("backup: status %d, %s", r.status, r.stderr)
	}
	if r := w.run("serve", "--db", backup, "keys", "list"); !strings.Contains(r.stdout, id) {
		t.Errorf("the backup lacks the key: %s%s", r.stdout, r.stderr)
	}
	if r := serve("backup", backup); r.status != 1 {
		t.Errorf("a backup over a file: status %d", r.status)
	}
	if r := serve("close-month"); r.status != 0 {
		t.Errorf("close-month: status %d, %s", r.status, r.stderr)
	}
}

func TestOnlyServeAndItsFirstKeyMakeADatabase(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"keys", "list"}, {"keys", "deactivate", "K"}, {"invoices"}, {"settle", "I"}, {"complete", "R"}, {"close-month"}, {"backup", "b.db"},
		{"catalogue", "export"}, {"orders", "list"}, {"orders", "withdraw", "O"}, {"tenants", "create", "T"}, {"tenants", "list"},
		{"requests", "list"}, {"invoices", "list"},
	} {
		w := newWorld(t, nil).unconfigured()
		dir := filepath.Join(w.env["HOME"], "mistyped")
		r := w.run(append([]string{"serve", "--db", filepath.Join(dir, "m.db")}, args...)...)
		if what, _ := r.sentences(t); r.status != 1 || !strings.Contains(what, "there is no database "+dir) {
			t.Errorf("%v: status %d, %s", args, r.status, what)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%v makes directories", args)
		}
	}
}

// field finds the value behind a word in lines of "word value".
func field(lines, word string) string {
	for line := range strings.Lines(lines) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name == word {
			return value
		}
	}
	return ""
}

func TestServeTellsAnAddressThatIsTaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).unconfigured()
	for _, flag := range []string{"--listen", "--addr"} {
		r := w.run("serve", flag, "256.0.0.1:1", "--db", filepath.Join(w.env["HOME"], "m.db"))
		if what, todo := r.sentences(t); r.status != 1 || !strings.Contains(what, "256.0.0.1:1") || !strings.Contains(todo, "--listen") {
			t.Errorf("%s: status %d: %s", flag, r.status, r.stderr)
		}
	}
}

func TestServeLiveNeedsASyntheticMarket(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).unconfigured()
	r := w.run("serve", "--live", "--listen", "127.0.0.1:0", "--db", filepath.Join(w.env["HOME"], "m.db"))
	if r.stdout != "" {
		t.Errorf("it says %q before it refuses", r.stdout)
	}
	if r.status != 2 {
		t.Errorf("status %d: %s", r.status, r.stderr)
	}
}

func TestDeactivatingTheLastKeyIsSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).unconfigured()
	db := filepath.Join(w.env["HOME"], "market.db")
	serve := func(args ...string) result { return w.run(append([]string{"serve", "--db", db, "keys"}, args...)...) }
	first, second := field(serve("create", "--tenant", "acme", "--create-tenant").stdout, "id"), field(serve("create", "--tenant", "acme").stdout, "id")
	serve("create", "--tenant", "acme", "--role", "Accountant")
	serve("create", "--tenant", "rival", "--create-tenant")
	if r := serve("deactivate", first); r.status != 0 || r.stderr != "" {
		t.Errorf("one of two: status %d, %s", r.status, r.stderr)
	}
	if r := serve("deactivate", second); r.status != 0 || !strings.Contains(r.stderr, "acme has no active key with the role API User left") {
		t.Errorf("the last one: status %d, %s", r.status, r.stderr)
	}
}

func TestADatabaseWhoseServerDoesNotAnswerIsSaidInALine(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).unconfigured()
	r := w.run("serve", "keys", "list", "--db", "postgres://nobody@127.0.0.1:1,127.0.0.1:1/market?sslmode=disable")
	if what, todo := r.sentences(t); r.status != 1 || what != "tonne: the database cannot be reached." || !strings.Contains(todo, "server") {
		t.Errorf("%d %q %q", r.status, what, todo)
	}
}
