package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	must "tonne/model/musttest"
)

// cleared are the flags whose empty value removes something.
var cleared = []string{"tonne serve tenants edit --country", "tonne serve tenants edit --tax-id"}

// An empty value, such as that of an unset variable of a script, never means "no limit" or "no name".
func TestEmptyValueOfAnyFlagIsWrongUsage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.env["TONNE_BASE_URL"] = baseURL
	app := w.app()
	var found []string
	checked := 0
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
		if !cmd.Runnable() || strings.HasPrefix(cmd.Name(), "__") {
			return
		}
		args := strings.Fields(cmd.CommandPath())[1:]
		for _, a := range app.Descriptions[cmd].Arguments {
			if a.Required {
				args = append(args, "x")
			}
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() == "bool" || f.Name == "help" {
				return
			}
			for _, value := range []string{"", " ", "\u00a0\u200b"} {
				checked++
				flag := "--" + f.Name
				got := w.run(append(slices.Clone(args), flag+"="+value)...)
				must.Hold(t, got.status != 0, args, flag, "value", value, got)
				// The parser of flags reports numbers and durations already.
				if strings.Contains(got.stderr, flag) {
					must.Equal(t, got.status, 2, args, flag, value, got.stderr)
					continue
				}
				if path := cmd.CommandPath() + " " + flag; !slices.Contains(found, path) {
					found = append(found, path)
				}
			}
		})
	}
	walk(root(app))
	slices.Sort(found)
	must.Equal(t, found, cleared)
	must.Hold(t, checked > 500, "flags checked", checked)
}

// A flag whose help names a file that the command writes comes with --overwrite.
func TestCommandsThatWriteFilesHaveOverwrite(t *testing.T) {
	t.Parallel()
	writes := []string{"pack", "evidence", "pdf", "xlsx", "batch"}
	found := 0
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
		has := func(name string) bool { return cmd.Flags().Lookup(name) != nil }
		if slices.ContainsFunc(writes, has) || cmd.Name() == "backup" {
			found++
			must.Hold(t, has("overwrite"), cmd.CommandPath())
		}
	}
	walk(root(newWorld(t, nil).app()))
	must.Equal(t, found, 8)
}
