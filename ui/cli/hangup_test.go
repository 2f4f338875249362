//go:build unix

package cli

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"tonne/ui/cli/terminal"
)

func TestOnlyATerminalThatIsGoneTurnsAFailureIntoAHangUp(t *testing.T) {
	t.Parallel()
	master, slave, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	defer slave.Close()
	disk := fmt.Errorf("write ledger: %w", syscall.EIO)
	if err := terminal.HungUp(slave, disk); !errors.Is(err, disk) {
		t.Errorf("a disk that fails is taken for %v", err)
	}
	if err := master.Close(); err != nil {
		t.Fatal(err)
	}
	_, gone := slave.WriteString("x")
	var signal *terminal.SignalError
	if err := terminal.HungUp(slave, gone); !errors.As(err, &signal) || !signal.HangsUp() {
		t.Errorf("%v of a terminal that is gone is taken for %v", gone, err)
	}
	if err := terminal.HungUp(slave, nil); err != nil {
		t.Errorf("nothing is taken for %v", err)
	}
}
