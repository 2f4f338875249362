package cli

import (
	"context"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"tonne/ui/cli/command"
)

func versionCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print version, commit and date",
		Example: "  tonne version",
		RunE:    command.Do(func(context.Context, *cobra.Command, []string) error { return printVersion(a) }),
	}
	return a.Describe(cmd, command.Description{Effect: command.Reads})
}

func printVersion(a *command.App) error {
	b := command.BuildVersion()
	text := fmt.Sprintf("tonne %s\n", b.Version)
	if b.Commit != "" {
		note := ""
		if b.Modified {
			note = ", changed since"
		}
		text += fmt.Sprintf("commit %s%s\ndate %s\n", b.Commit, note, b.Date)
	}
	_, err := fmt.Fprintf(a.Stdout, "%s%s %s/%s\n", text, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
