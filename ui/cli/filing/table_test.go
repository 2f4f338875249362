package filing

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"tonne/model/file/tabular"
	must "tonne/model/musttest"
	"tonne/ui/cli/command"
	"tonne/ui/cli/terminal"
)

// endless is an input without an end. It counts what is read.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = "a,b\n"[i%4]
	}
	e.read += len(p)
	return len(p), nil
}

func tableOf(stdin io.Reader) *Table {
	p := command.Process{Stdin: stdin, Stderr: io.Discard, Getenv: os.Getenv}
	return NewTable(command.NewApp(p, new(terminal.Terminal)), pflag.NewFlagSet("", pflag.ContinueOnError), "read")
}

// A pipe without an end fails at the limit, and leaves no copy.
func TestEndlessPipeFailsAtTheLimit(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	in := new(endless)
	_, err := tableOf(in).Read(t.Context(), "-", 1<<20)
	must.Hold(t, err != nil && strings.Contains(err.Error(), "larger than 1 MiB"), err)
	must.Hold(t, in.read <= 1<<20+1, "read", in.read)
	left := must.Get(os.ReadDir(dir))
	must.Equal(t, len(left), 0, "files left")
}

// A signal ends a command that waits for a pipe.
func TestWaitForPipeEndsWithContext(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := errors.New("TERM")
	cancel(ended)
	_, err := tableOf(r).Read(ctx, "-", tabular.Largest)
	must.Hold(t, errors.Is(err, ended), err)
}
