package cli

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tonne/model/filter"
)

// nearEnough is how many letters a word may be off for a guess.
const nearEnough = 2

// onlyCommands refuses a word behind a command that has others below it: it is
// no command.
func onlyCommands(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return noCommand(cmd, args[0])
}

func noCommand(cmd *cobra.Command, word string) error {
	todo := fmt.Sprintf("run `%s --help` to see what there is", cmd.CommandPath())
	if cmd.HasSubCommands() {
		todo = fmt.Sprintf("run `%s --help` to see the commands", cmd.CommandPath())
	}
	cmd.SuggestionsMinimumDistance = nearEnough
	if near := cmd.SuggestionsFor(word); len(near) > 0 {
		todo = fmt.Sprintf("did you mean `%s %s`?", cmd.CommandPath(), near[0])
	} else if below := commandBelow(cmd, word); below != "" {
		todo = fmt.Sprintf("did you mean `%s`?", below)
	}
	return usage(todo, "there is no command %q", word)
}

// commandBelow returns the path of the command that is called so, however far
// below, or "" if there is none.
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

// wrongFlag explains a flag that cannot be read.
func wrongFlag(cmd *cobra.Command, err error) error {
	todo := fmt.Sprintf("run `%s --help` to see its flags", cmd.CommandPath())
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && len(unknown.GetSpecifiedShortnames()) == 0 {
		if near := nearestFlag(cmd, unknown.GetSpecifiedName()); near != "" {
			todo = fmt.Sprintf("did you mean `--%s`?", near)
		}
	}
	var value *pflag.InvalidValueError
	if number := new(strconv.NumError); errors.As(err, &value) && errors.As(err, &number) {
		what := "no whole number"
		if errors.Is(number, strconv.ErrRange) {
			what = "too large"
		}
		return usage(todo, "--%s %q is %s", value.GetFlag().Name, value.GetValue(), what)
	}
	return usage(todo, "%v", err)
}

// nearestFlag returns the flag of a command whose name is nearest to a word, or
// "" if none is near.
func nearestFlag(cmd *cobra.Command, word string) string {
	nearest, least := "", nearEnough+1
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if d := filter.Distance(word, f.Name); d < least && d < len(f.Name) && !f.Hidden {
			nearest, least = f.Name, d
		}
	})
	return nearest
}
