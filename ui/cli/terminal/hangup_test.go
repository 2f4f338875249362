//go:build unix

package terminal

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

func TestHungUpDetectsOnlyClosedTerminal(t *testing.T) {
	t.Parallel()
	master, slave, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	defer slave.Close()
	disk := fmt.Errorf("write ledger: %w", syscall.EIO)
	if err := HungUp(slave, disk); !errors.Is(err, disk) {
		t.Errorf("HungUp of a disk failure is %v", err)
	}
	if err := master.Close(); err != nil {
		t.Fatal(err)
	}
	_, failure := slave.WriteString("x")
	var signal *SignalError
	if err := HungUp(slave, failure); !errors.As(err, &signal) || !signal.hangsUp() {
		t.Errorf("HungUp of %v on a closed terminal is %v", failure, err)
	}
	if err := HungUp(slave, nil); err != nil {
		t.Errorf("HungUp of nil is %v", err)
	}
}
