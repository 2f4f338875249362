package command

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tonne/model/filter"
)

// Distance returns how many letters differ between a word and a name, and whether it is a
// typing error.
func Distance(word, name string) (letters int, near bool) {
	letters = filter.Distance(strings.ToLower(word), name)
	return letters, 3*letters <= max(len(name), 3)
}

// nearest returns the most likely name for a word: one that begins with
// it, or of which it is a typing error.
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
	todo := fmt.Sprintf("run `%s --help` to see its usage", cmd.CommandPath())
	if cmd.HasSubCommands() {
		todo = fmt.Sprintf("run `%s --help` to see the commands", cmd.CommandPath())
	}
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
