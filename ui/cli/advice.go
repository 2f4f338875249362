package cli

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
)

// quotedCommand finds the commands of the program that a text names.
var quotedCommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("`tonne ([^`]+)`") })

// advice repeats, in each command that a text names, the flags that chose the
// marketplace of this run, where the command takes them: without them it would be
// about another one. A guest has no such flags.
func (a *app) advice(text string) string {
	given := []struct{ name, value string }{{"profile", a.flags["profile"]}, {"config", a.flags["config"]}, {"base-url", a.flags["base_url"]}}
	if a.guest != nil || !slices.ContainsFunc(given, func(f struct{ name, value string }) bool { return f.value != "" }) {
		return text
	}
	return quotedCommand().ReplaceAllStringFunc(text, func(quoted string) string {
		line := strings.Trim(quoted, "`")
		words := strings.Fields(line)[1:]
		cmd := a.commandNamed(words)
		for _, f := range given {
			if _, isKey := a.hideKeys(f.value); isKey {
				continue
			}
			if f.value != "" && cmd != nil && cmd.Flag(f.name) != nil && !slices.Contains(words, "--"+f.name) {
				line += " --" + f.name + " " + shellWord(f.value)
			}
		}
		return "`" + line + "`"
	})
}

func (a *app) commandNamed(words []string) *cobra.Command {
	if slices.Contains(words, "--help") {
		return nil
	}
	cmd, _, err := a.newRoot(&app{Process: a.Process, newRoot: a.newRoot}).Find(words)
	if err != nil || !cmd.HasParent() && !strings.HasPrefix(words[0], "-") {
		return nil
	}
	return cmd
}
