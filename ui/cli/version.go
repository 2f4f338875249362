package cli

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// build says which tonne this is.
type build struct {
	Version, Commit, Date string
	Modified              bool
}

// buildVersion reads what the Go toolchain wrote into the program.
func buildVersion() build {
	b := build{Version: "devel"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print version, commit and date",
		Example: "  tonne version",
		Args:    cobra.NoArgs,
		RunE: do(func(context.Context, *cobra.Command, []string) error {
			b := buildVersion()
			fmt.Fprintf(a.Stdout, "tonne %s\n", b.Version)
			if b.Commit != "" {
				note := ""
				if b.Modified {
					note = ", changed since"
				}
				fmt.Fprintf(a.Stdout, "commit %s%s\n", b.Commit, note)
				fmt.Fprintf(a.Stdout, "date %s\n", b.Date)
			}
			_, err := fmt.Fprintf(a.Stdout, "%s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		}),
	}
}
