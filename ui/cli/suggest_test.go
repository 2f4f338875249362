package cli

import (
	"strings"
	"testing"

	"tonne/ui/cli/command"
)

func TestMistypedFlagIsSuggested(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"market", "--ouput", "json"}, "Did you mean `--output`?"},
		{[]string{"market", "--per-pages=5"}, "Did you mean `--per-page`?"},
		{[]string{"inventory", "--trade"}, "Did you mean `--trades`?"},
		{[]string{"retirement", "R1", "--certficates", "."}, "Did you mean `--certificates`?"},
		{[]string{"--profil", "acme"}, "Did you mean `--profile`?"},
		{[]string{"serve", "keys", "create", "--tennant", "acme"}, "Did you mean `--tenant`?"},
		{[]string{"market", "--pkg"}, "Run `tonne market --help` to see its flags."},
		{[]string{"market", "--nonsense"}, "Run `tonne market --help` to see its flags."},
		{[]string{"market", "-z"}, "Run `tonne market --help` to see its flags."},
	} {
		r := newWorld(t, nil).run(c.args...)
		if _, todo := r.sentences(t); r.status != command.StatusUsage || todo != c.want {
			t.Errorf("tonne %s: status %d: %s, want %s", strings.Join(c.args, " "), r.status, todo, c.want)
		}
	}
}

func TestMistypedSubcommandIsSuggested(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"auth", "logn"}, "Did you mean `tonne auth login`?"},
		{[]string{"config", "shwo"}, "Did you mean `tonne config show`?"},
		{[]string{"serve", "kesy"}, "Did you mean `tonne serve keys`?"},
		{[]string{"serve", "keys", "craete"}, "Did you mean `tonne serve keys create`?"},
		{[]string{"serve", "ord"}, "Did you mean `tonne serve orders`?"},
		{[]string{"serve", "nope"}, "Run `tonne serve --help` to see the commands."},
		{[]string{"serve", "nonsense"}, "Run `tonne serve --help` to see the commands."},
	} {
		r := newWorld(t, nil).run(c.args...)
		if _, todo := r.sentences(t); r.status != command.StatusUsage || todo != c.want {
			t.Errorf("tonne %s: status %d: %s, want %s", strings.Join(c.args, " "), r.status, todo, c.want)
		}
	}
}

func TestInvalidNumberIsExplained(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"abc": `tonne: --per-page "abc" is not a whole number.`, "9999999999999999999": `tonne: --per-page "9999999999999999999" is too large.`,
	} {
		if what, _ := newWorld(t, nil).run("market", "--per-page", typed).sentences(t); what != want {
			t.Errorf("%s: %s, want %s", typed, what, want)
		}
	}
}
