package command

import "github.com/spf13/cobra"

// OverwriteFlag adds the flag that allows a command to replace the files that it writes.
func OverwriteFlag(cmd *cobra.Command, overwrite *bool) {
	cmd.Flags().BoolVar(overwrite, "overwrite", false, "replace files that exist")
}
