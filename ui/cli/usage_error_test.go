package cli

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

func TestSubcommandWithoutParentIsSuggested(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{"login": "tonne auth login", "keys": "tonne serve keys", "backup": "tonne serve backup"} {
		if _, todo := newWorld(t, nil).run(word).sentences(t); todo != "Did you mean `"+want+"`?" {
			t.Errorf("%s: %s", word, todo)
		}
	}
}

func TestBaseURLWithoutSchemeIsSuggested(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"market.example": "Did you mean https://market.example?", "localhost:8080": "Did you mean http://localhost:8080?",
		"127.0.0.1:8080/api": "Did you mean http://127.0.0.1:8080/api?", "ftp://market.example": "Give an address such as https://market.example.",
		"http://market.example": "Give an address such as https://market.example.", "a b": "Give an address such as https://market.example.",
	} {
		r := newWorld(t, nil).run("market", "--base-url", typed)
		if _, todo := r.sentences(t); r.status != 2 || todo != want {
			t.Errorf("%s: status %d: %s, want %s", typed, r.status, todo, want)
		}
	}
}

func TestWrongArgumentsAreNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, what, todo string }{
		{"serve settle", "`tonne serve settle` needs INVOICE: id of the invoice.", "Run `tonne serve settle --help` to see its arguments."},
		{"serve backup a b", "`tonne serve backup` does not accept the argument \"b\".", "Run `tonne serve backup --help` to see its arguments."},
		{"market stray", "`tonne market` does not accept the argument \"stray\".", "Run `tonne market --help` to see its arguments."},
		{"completion", "`tonne completion` needs SHELL: bash, zsh, fish or powershell.", "Run `tonne completion --help` to see its arguments."},
		{"completion tcsh", "\"tcsh\" is not a shell.", "Permitted: bash, zsh, fish, powershell."},
		{"quote V1 1 2", "`tonne quote` does not accept the argument \"2\".", "Run `tonne quote --help` to see its arguments."},
	} {
		r := newWorld(t, nil).run(strings.Fields(c.args)...)
		if what, todo := r.sentences(t); r.status != 2 || what != "tonne: "+c.what || todo != c.todo {
			t.Errorf("tonne %s: status %d: %s %s", c.args, r.status, what, todo)
		}
	}
}

func TestEmptyTableExplainsItself(t *testing.T) {
	t.Parallel()
	empty := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(`{"projects":[],"pagination":{"per_page":20,"total_pages":0,"total_items":0,"current_page":1,"previous_page":null,"next_page":null}}`))
	})
	for _, c := range []struct{ args, want string }{
		{"market", "nothing is for sale."}, {"market --page 9", "this page is empty."},
		{"inventory", "you own no credits that are not retired."}, {"inventory --trades", "you own no credits that are not retired."},
		{"inventory --trade-type SELL --trades", "the filters leave nothing."}, {"inventory --wallet-min-quantity 5", "the filters leave nothing."},
	} {
		w := newWorld(t, empty)
		if r := w.run(strings.Fields(c.args)...); r.status != 0 || r.stderr != "tonne: "+c.want+"\n" {
			t.Errorf("%s: status %d: %q", c.args, r.status, r.stderr)
		}
		if r := w.run(append(strings.Fields(c.args), "-o", "csv")...); r.stderr != "" {
			t.Errorf("%s: CSV output writes %q to standard error", c.args, r.stderr)
		}
	}
}

func TestMissingKeyAdviceNamesProfileOrBaseURL(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).unconfigured()
	w.configure(twoProfiles)
	for _, c := range []struct{ args, want string }{
		{"market --base-url https://other.example", "`tonne auth login --base-url https://other.example`"},
		{"market --profile prod", "`tonne auth login --profile prod`"}, {"market", "`tonne auth login`"},
	} {
		if _, todo := w.run(strings.Fields(c.args)...).sentences(t); !strings.Contains(todo, c.want) {
			t.Errorf("%s: %s", c.args, todo)
		}
	}
}

func TestWrittenFilesAreReported(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service))
	path := filepath.Join(w.env["HOME"], "q3.csv")
	r := w.run("retirement", "R1", "--evidence", path)
	if want := "tonne: evidence saved as " + path + ", manifest as " + path + ".manifest.json.\n"; r.status != 0 || r.stderr != want {
		t.Errorf("status %d: %q, want %q", r.status, r.stderr, want)
	}
}

func TestConfigEditNeedsTerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	r := w.run("config", "edit")
	if _, todo := r.sentences(t); r.status != 2 || !strings.Contains(todo, "config.toml") {
		t.Errorf("status %d: %s", r.status, todo)
	}
}

func TestDashboardWithoutTerminalSuggestsPlain(t *testing.T) {
	t.Parallel()
	if _, todo := newWorld(t, new(service)).run().sentences(t); !strings.Contains(todo, "`tonne --plain`") {
		t.Errorf("advice: %s", todo)
	}
}

func TestUnknownInvoiceSuggestsList(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	db := filepath.Join(t.TempDir(), "market.db")
	w.must("serve", "keys", "create", "--tenant", "Acme", "--create-tenant", "--db", db)
	_, todo := w.run("serve", "settle", "00i000000000000001", "--db", db).sentences(t)
	_, command, _ := strings.Cut(todo, "`tonne ")
	command, _, _ = strings.Cut(command, "`")
	if got := w.must(append(strings.Fields(command), "--db", db)...); !strings.HasPrefix(got, "ID ") {
		t.Errorf("`tonne %s` prints %q", command, got)
	}
}
