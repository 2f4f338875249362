package command

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tonne/model/filter"
)

var quotedCommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("`tonne ([^`]+)`") })

// Advice adds the flags that selected the marketplace of this run to each command quoted in
// a text, if the command has them. Otherwise the command would use another marketplace. A
// guest has no such flags, and runs commands over SSH.
func (a *App) Advice(text string) string {
	if a.Guest != nil {
		return asGuest().Replace(text)
	}
	return quotedCommand().ReplaceAllStringFunc(text, func(quoted string) string {
		line := strings.Trim(quoted, "`")
		words := strings.Fields(line)[1:]
		cmd := a.Descriptions.named(words)
		for _, name := range []string{"profile", "config", "base-url", "db"} {
			value := a.Flags[strings.ReplaceAll(name, "-", "_")]
			if value == "" || cmd == nil || cmd.Flag(name) == nil || slices.Contains(words, "--"+name) {
				continue
			}
			if _, isKey := a.hideKeys(value); !isKey {
				line += " --" + name + " " + ShellWord(value)
			}
		}
		return "`" + line + "`"
	})
}

// NoteDatabase lets Advice repeat the flag that selects the database of the operator's commands, unless it is an
// address, which may have a password.
func (a *App) NoteDatabase(cmd *cobra.Command) {
	if flag := cmd.Flag("db"); flag != nil && flag.Changed && !strings.ContainsAny(flag.Value.String(), ":=@") {
		a.Flags["db"] = flag.Value.String()
	}
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

// Distance returns the edit distance, and whether the word is a likely misspelling of the name.
func Distance(word, name string) (letters int, near bool) {
	letters = filter.Distance(strings.ToLower(word), name)
	return letters, 3*letters <= max(len(name), 3)
}

// nearest returns the name that begins with the word, or that it is a misspelling of, or "".
func nearest(word string, names []string) (found string) {
	least := math.MaxInt
	for _, name := range names {
		d, near := Distance(word, name)
		if (near || word != "" && strings.HasPrefix(name, word)) && d < least {
			found, least = name, d
		}
	}
	return found
}

// NoCommand returns the failure of an unknown command.
func NoCommand(cmd *cobra.Command, word string) error {
	see := "its usage"
	if cmd.HasSubCommands() {
		see = "the commands"
	}
	todo := fmt.Sprintf("run `%s --help` to see %s", cmd.CommandPath(), see)
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	if near := nearest(word, names); near != "" {
		todo = fmt.Sprintf("did you mean `%s %s`?", cmd.CommandPath(), near)
	} else if below := commandBelow(cmd, word); below != "" {
		todo = fmt.Sprintf("did you mean `%s`?", below)
	}
	return Usage(todo, "there is no command %q", word)
}

func commandBelow(cmd *cobra.Command, word string) string {
	for _, sub := range cmd.Commands() {
		if sub.Name() == word {
			return sub.CommandPath()
		}
		if path := commandBelow(sub, word); path != "" {
			return path
		}
	}
	return ""
}

// WrongFlag returns the failure of a flag that cannot be parsed.
func WrongFlag(cmd *cobra.Command, err error) error {
	todo := fmt.Sprintf("run `%s --help` to see its flags", cmd.CommandPath())
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && len(unknown.GetSpecifiedShortnames()) == 0 {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		if near := nearest(unknown.GetSpecifiedName(), names); near != "" {
			todo = fmt.Sprintf("did you mean `--%s`?", near)
		}
		if unknown.GetSpecifiedName() == "json" && cmd.Flags().Lookup("output") != nil {
			todo = "use `-o json`"
		}
	}
	var value *pflag.InvalidValueError
	if number := new(strconv.NumError); errors.As(err, &value) && errors.As(err, &number) {
		what := "not a whole number"
		if errors.Is(number, strconv.ErrRange) {
			what = "too large"
		}
		return Usage(todo, "--%s %q is %s", value.GetFlag().Name, value.GetValue(), what)
	}
	return Usage(todo, "%v", err)
}
