// Package cli is tonne's command line. It assembles the commands of its sub-packages and
// turns errors into messages and exit statuses. Scripts depend on commands, flags, output
// and exit statuses. Start reading at Main and root.
package cli

import (
	"cmp"
	"context"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tonne/ui/cli/command"
	"tonne/ui/cli/credentials"
	"tonne/ui/cli/terminal"
)

// Main runs the program in its environment and returns the exit status.
func Main() int {
	return runProcess(command.Process{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: takeKey(), Now: time.Now, Keyring: credentials.System{},
	})
}

// takeKey removes the API key from the environment and returns a Getenv that
// still knows it. Every child process inherits the environment, also those that
// libraries start, and none of them needs the key.
func takeKey() func(name string) string {
	const keyVariable = "TONNE_API_KEY"
	key := os.Getenv(keyVariable)
	_ = os.Unsetenv(keyVariable)
	return func(name string) string {
		if name == keyVariable {
			return key
		}
		return os.Getenv(name)
	}
}

func runProcess(p command.Process) int {
	ctx, terminal, stop := terminal.WatchSignals(context.Background(), p.Stdout, p.Stderr)
	defer stop()
	return run(ctx, p, terminal)
}

// Run runs one command and returns its exit status. A cancelled ctx ends it.
func Run(ctx context.Context, p command.Process) int { return run(ctx, p, new(terminal.Terminal)) }

func run(ctx context.Context, p command.Process, t *terminal.Terminal) (status int) {
	a := command.NewApp(p, t)
	defer func() { _ = a.File.Close() }()
	if a.Guest != nil {
		a.Logger = a.Guest.Log
	}
	defer func() {
		if r := recover(); r != nil {
			t.Restore()
			status = a.Report(ctx, a.Panicked(r))
		}
	}()
	defer a.CloseRecord()
	root := root(a)
	if a.Guest == nil && len(p.Args) > 0 && strings.HasPrefix(p.Args[0], cobra.ShellCompRequestCmd) {
		offerValues(a, root)
	}
	// Without arguments, cobra would use those of the process.
	root.SetArgs(append([]string{}, p.Args...))
	root.SetIn(p.Stdin)
	help := &errorWriter{out: a.TextOut()}
	root.SetOut(help)
	root.SetErr(a.Stderr)
	err := a.Guest.Admit(p.Args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	return a.Report(ctx, cmp.Or(err, help.err))
}

// errorWriter remembers that output of cobra, such as help, could not be
// written. Cobra would print the error itself and succeed, so it gets
// no error.
type errorWriter struct {
	out io.Writer
	err error
}

func (w *errorWriter) Write(text []byte) (int, error) {
	if w.err == nil {
		_, w.err = w.out.Write(text)
	}
	return len(text), nil
}
