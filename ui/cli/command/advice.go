package command

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tonne/model/advice"
	"tonne/model/filter"
)

// Advice adds the flags that selected the marketplace of this run to each command of a text, if the command has
// them. Otherwise the command would use another marketplace. A guest has no such flags, and runs commands over SSH.
func (a *App) Advice(text advice.Text) string { return text.For(readerOf(a)) }

// nextOf returns the advice of a failure. For a guest it has only what a guest can do.
func nextOf(a *App, f *Failure) string {
	reader := readerOf(a)
	if a.Guest == nil {
		return f.Next().For(reader)
	}
	reader.Can, reader.Has = a.Guest.can, a.Guest.has
	return cmp.Or(f.Next().For(reader), "ask the operator of the desk")
}

func readerOf(a *App) advice.Reader {
	if a.Guest != nil {
		return advice.Reader{Command: onDesk}
	}
	return advice.Reader{Command: func(c advice.Command) string { return withFlags(a, c).String() }}
}

func withFlags(a *App, c advice.Command) advice.Command {
	cmd := a.Descriptions.named(c)
	for _, name := range []string{"profile", "config", "base-url", "db"} {
		value := a.Flags[strings.ReplaceAll(name, "-", "_")]
		if value == "" || cmd == nil || cmd.Flag(name) == nil || slices.Contains(c, "--"+name) {
			continue
		}
		if _, isKey := a.hideKeys(value); !isKey {
			c = append(slices.Clip(c), "--"+name, advice.ShellWord(value))
		}
	}
	return c
}

// commandOf returns the command of cobra, with further words.
func commandOf(cmd *cobra.Command, words ...string) advice.Command {
	var path []string
	for ; cmd.HasParent(); cmd = cmd.Parent() {
		path = append([]string{cmd.Name()}, path...)
	}
	return append(path, words...)
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
	todo := advice.Format("run %s to see %s", commandOf(cmd, "--help"), see)
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	if near := nearest(word, names); near != "" {
		todo = advice.Format("did you mean %s?", commandOf(cmd, near))
	} else if below := commandBelow(cmd, word); below != nil {
		todo = advice.Format("did you mean %s?", commandOf(below))
	}
	return Usage(todo, "there is no command %q", word)
}

func commandBelow(cmd *cobra.Command, word string) *cobra.Command {
	for _, sub := range cmd.Commands() {
		if sub.Name() == word {
			return sub
		}
		if below := commandBelow(sub, word); below != nil {
			return below
		}
	}
	return nil
}

// WrongFlag returns the failure of a flag that cannot be parsed.
func WrongFlag(cmd *cobra.Command, err error) error {
	todo := advice.Format("run %s to see its flags", commandOf(cmd, "--help"))
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && len(unknown.GetSpecifiedShortnames()) == 0 {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		if near := nearest(unknown.GetSpecifiedName(), names); near != "" {
			todo = advice.Format("did you mean `--%s`?", near)
		}
		if unknown.GetSpecifiedName() == "json" && cmd.Flags().Lookup("output") != nil {
			todo = advice.Plain("use `-o json`")
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
