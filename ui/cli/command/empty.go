package command

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tonne/model/fold"
)

// clearing is the annotation of a flag whose empty value removes something.
const clearing = "tonne_clears"

// ClearedByEmpty marks flags of a command that changes something: an empty value removes the old one. An
// empty value of any other flag is wrong usage.
func ClearedByEmpty(flags *pflag.FlagSet, names ...string) {
	for _, name := range names {
		flag := flags.Lookup(name)
		if flag.Annotations == nil {
			flag.Annotations = make(map[string][]string)
		}
		flag.Annotations[clearing] = []string{"true"}
	}
}

// CheckEmpty returns an error if a given flag of the command has an empty value: a script with an unset
// variable must not run without a name or a limit.
func CheckEmpty(cmd *cobra.Command) (err error) {
	for of := cmd; of != nil; of = of.Parent() {
		of.Flags().Visit(func(flag *pflag.Flag) {
			if err == nil && flag.Annotations[clearing] == nil && isEmpty(flag.Value) {
				err = Usage("give it a value, or leave it out", "--%s is empty", flag.Name)
			}
		})
	}
	return err
}

func isEmpty(value pflag.Value) bool {
	list, ok := value.(pflag.SliceValue)
	if !ok {
		return fold.Trim(value.String()) == ""
	}
	all := list.GetSlice()
	for _, text := range all {
		if fold.Trim(text) == "" {
			return true
		}
	}
	return len(all) == 0
}
