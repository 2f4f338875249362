package command_test

import (
	"testing"

	"github.com/spf13/cobra"

	must "tonne/model/musttest"
	"tonne/ui/cli/command"
)

func TestIntegerFlagsAreDecimal(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want int
		ok   bool
	}{
		{"8", 8, true}, {"010", 10, true}, {"-3", -3, true}, {"+3", 3, true}, {"0", 0, true}, {"00", 0, true},
		{"-010", -10, true},
		{"0x10", 0, false}, {"0o10", 0, false}, {"0b1", 0, false}, {"1_000", 0, false}, {"1,000", 0, false}, {"", 0, false},
		{"-", 0, false},
		{"1.0", 0, false}, {"1e3", 0, false}, {" 1", 0, false}, {"--1", 0, false}, {"١", 0, false},
	} {
		root, sub := &cobra.Command{Use: "root"}, &cobra.Command{Use: "sub"}
		root.AddCommand(sub)
		n := sub.Flags().Int("page", 0, "")
		command.ReadWholeNumbers(root)
		command.ReadWholeNumbers(root)
		err := sub.Flags().Parse([]string{"--page=" + tt.text})
		must.Hold(t, (err == nil) == tt.ok && *n == tt.want, tt.text, *n, err)
		got, err := sub.Flags().GetInt("page")
		must.Hold(t, err == nil && got == tt.want, tt.text, got, err)
	}
}
