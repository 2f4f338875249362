package cli

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"tonne/ui/cli/command"
)

func versionCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print version, commit and date",
		Example: "  tonne version",
		Args:    cobra.NoArgs,
		RunE: command.Do(func(arg0 context.Context, arg1 *cobra.Command, arg2 []string) error {
			return printVersion(a, arg0, arg1, arg2)
		}),
	}
	return a.Describe(cmd, command.Description{Effect: command.Reads})
}

func printVersion(a *command.App, _ context.Context, _ *cobra.Command, _ []string) error {
	_, err := io.WriteString(a.Stdout, text(command.BuildVersion()))
	return err
}

func text(b command.Build) string {
	text := fmt.Sprintf("tonne %s\n", b.Version)
	if b.Commit != "" {
		note := ""
		if b.Modified {
			note = ", changed since"
		}
		text += fmt.Sprintf("commit %s%s\ndate %s\n", b.Commit, note, b.Date)
	}
	return text + fmt.Sprintf("%s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
