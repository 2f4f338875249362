//go:build unix

package terminal

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

func TestOnlyATerminalThatIsGoneTurnsAFailureIntoAHangUp(t *testing.T) {
	t.Parallel()
	master, slave, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	defer slave.Close()
	disk := fmt.Errorf("write ledger: %w", syscall.EIO)
	if err := HungUp(slave, disk); !errors.Is(err, disk) {
		t.Errorf("a disk that fails is taken for %v", err)
	}
	if err := master.Close(); err != nil {
		t.Fatal(err)
	}
	_, gone := slave.WriteString("x")
	var signal *SignalError
	if err := HungUp(slave, gone); !errors.As(err, &signal) || !signal.hangsUp() {
		t.Errorf("%v of a terminal that is gone is taken for %v", gone, err)
	}
	if err := HungUp(slave, nil); err != nil {
		t.Errorf("nothing is taken for %v", err)
	}
}
