package cli

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// build says which tonne this is.
type build struct {
	Version, Commit, Date string
	Modified              bool
}

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
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print version, commit and date",
		Example: "  tonne version",
		Args:    cobra.NoArgs,
		RunE:    do(a.printVersion),
	}
	return a.describe(cmd, description{effect: reads})
}

func (a *app) printVersion(context.Context, *cobra.Command, []string) error {
	_, err := io.WriteString(a.Stdout, buildVersion().text())
	return err
}

func (b build) text() string {
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
