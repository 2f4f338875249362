package command

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
)

// quotedCommand finds the tonne commands quoted in a text.
var quotedCommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("`tonne ([^`]+)`") })

// Advice adds to each command quoted in a text the flags that selected the marketplace of
// this run, if the command has them. Without them it would use another marketplace. A
// guest has no such flags.
func (a *App) Advice(text string) string {
	given := []struct{ name, value string }{{"profile", a.Flags["profile"]}, {"config", a.Flags["config"]}, {"base-url", a.Flags["base_url"]}}
	if a.Guest != nil || !slices.ContainsFunc(given, func(f struct{ name, value string }) bool { return f.value != "" }) {
		return text
	}
	return quotedCommand().ReplaceAllStringFunc(text, func(quoted string) string {
		line := strings.Trim(quoted, "`")
		words := strings.Fields(line)[1:]
		cmd := a.Descriptions.named(words)
		for _, f := range given {
			if _, isKey := a.hideKeys(f.value); isKey {
				continue
			}
			if f.value != "" && cmd != nil && cmd.Flags().Lookup(f.name) != nil && !slices.Contains(words, "--"+f.name) {
				line += " --" + f.name + " " + ShellWord(f.value)
			}
		}
		return "`" + line + "`"
	})
}

func (all Descriptions) named(words []string) *cobra.Command {
	if slices.Contains(words, "--help") {
		return nil
	}
	for n := len(words); n >= 0; n-- {
		path := strings.Join(append([]string{"tonne"}, words[:n]...), " ")
		for cmd := range all {
			if cmd.CommandPath() == path && (n > 0 || strings.HasPrefix(words[0], "-")) {
				return cmd
			}
		}
	}
	return nil
}

// ShellWord quotes a word for a shell if necessary.
func ShellWord(s string) string {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:@%+=,"
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
