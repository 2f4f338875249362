// Package cli is tonne's command line: commands, settings, output and exit
// status. Scripts depend on all of it.
package cli

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"tonne/ui/cli/credentials"
)

// Process is what the commands have of the world around them.
type Process struct {
	// Args are the arguments behind the program's name.
	Args           []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Now            func() time.Time
	// Keyring keeps API keys; nil stands for a machine without one.
	Keyring credentials.Keyring
	// Transport makes the requests; nil is the network.
	Transport http.RoundTripper
	// guest is who runs the command from another machine; nil for nobody.
	guest *guest
}

// Main runs the program with what the system gave it and returns its exit
// status.
func Main() int {
	return runProcess(Process{
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

func runProcess(p Process) int {
	ctx, terminal, stop := watchSignals(context.Background(), p.Stdout, p.Stderr)
	defer stop()
	return run(ctx, p, terminal)
}

// Run runs one command and returns its exit status. A cancelled ctx ends it;
// the cause may be a signal.
func Run(ctx context.Context, p Process) int { return run(ctx, p, new(terminal)) }

func run(ctx context.Context, p Process, t *terminal) (status int) {
	a := newApp(p, t, func(a *app) *cobra.Command { return a.root() })
	defer a.closeDebug()
	if a.guest != nil {
		a.logger = a.guest.log
	}
	defer func() {
		if r := recover(); r != nil {
			t.restore()
			status = a.report(ctx, a.panicked(r))
		}
	}()
	root := a.root()
	completes := a.guest == nil && len(p.Args) > 0 && strings.HasPrefix(p.Args[0], cobra.ShellCompRequestCmd)
	if completes {
		a.offerValues(root)
	}
	// Without arguments, cobra would take those of the process.
	root.SetArgs(append([]string{}, p.Args...))
	root.SetIn(p.Stdin)
	help := &errorWriter{out: p.Stdout, unmarked: completes}
	root.SetOut(help)
	root.SetErr(p.Stderr)
	err := a.guest.admit(p.Args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if err == nil && help.err != nil {
		err = ran{help.err}
	}
	return a.report(ctx, err)
}

// errorWriter remembers that what cobra prints, such as help, could not be
// written: cobra prints such an error itself and succeeds, so it is told of
// none.
type errorWriter struct {
	out io.Writer
	err error
	// unmarked leaves out the marks that name the values of flags. Help reads
	// them; a shell shows them as they are.
	unmarked bool
}

func (w *errorWriter) Write(text []byte) (int, error) {
	size := len(text)
	if w.unmarked {
		text = bytes.ReplaceAll(text, []byte("`"), nil)
	}
	if w.err == nil {
		_, w.err = w.out.Write(text)
	}
	return size, nil
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func width(stream any) int {
	f, ok := stream.(*os.File)
	if !ok {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

func (a *app) styled(stream any) bool {
	return isTerminal(stream) && a.Getenv("NO_COLOR") == "" && !a.isDumb() && !a.accessible()
}
