package command

import "github.com/spf13/cobra"

// CheckExcluded returns an error if one of the excluded flags is given. The flag that excludes them is given.
func CheckExcluded(cmd *cobra.Command, flag string, excluded ...string) error {
	for _, name := range excluded {
		if cmd.Flags().Changed(name) {
			return Usage("leave out one of them", "--%s and --%s exclude each other", flag, name)
		}
	}
	return nil
}
