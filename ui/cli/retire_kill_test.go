//go:build unix

package cli

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"tonne/api/marketplace/marketplacetest"
	"tonne/model/longtest"
	must "tonne/model/musttest"
)

// batchProcess runs a batch in processes that can be killed.
type batchProcess struct {
	*retirer
	env, args []string
	// at is the number of the call during which hook runs.
	at   atomic.Int64
	hook func()
}

func newBatchProcess(t *testing.T, batch string) *batchProcess {
	t.Helper()
	k := &batchProcess{retirer: newRetirer(t)}
	k.before = func(_ http.ResponseWriter, req *http.Request) bool {
		if req.Method == http.MethodPost && k.sent.Load() == k.at.Load() {
			go k.hook()
		}
		return false
	}
	k.env = environment(t.TempDir(), "TONNE_BASE_URL="+listen(t, k.handler), "TONNE_API_KEY="+retirerMarket.key)
	k.args = []string{"retire", "--allow-retire", "--yes", "--file", k.write("october.csv", batch), "--results",
		filepath.Join(k.world.env["HOME"], "r.csv")}
	return k
}

// start starts the batch.
func (k *batchProcess) start() (*exec.Cmd, *bytes.Buffer) {
	k.t.Helper()
	stderr := new(bytes.Buffer)
	cmd := exec.Command(os.Args[0], k.args...)
	cmd.Env, cmd.Stderr = k.env, stderr
	must.Succeed(k.t, cmd.Start())
	k.t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, stderr
}

func (k *batchProcess) finish() {
	k.t.Helper()
	cmd, stderr := k.start()
	err := cmd.Wait()
	must.Need(k.t, err == nil, err, stderr)
}

// history returns the trades and the retirements of the service, in order.
func (k *batchProcess) history() string {
	k.t.Helper()
	c := marketplacetest.Client{TB: k.t, Service: k.service}
	c.CheckBooks()
	return c.Text(`SELECT group_concat(line, '; ') FROM (
		SELECT 'buy ' || t.quantity_grams || ' at ' || t.price_cents AS line FROM trades t WHERE type = 'BUY' ORDER BY
		number)`) + "\n" +
		c.Text(`SELECT group_concat(line, '; ') FROM (SELECT 'retire ' || quantity_grams AS line FROM retirement_items ORDER
			BY number)`)
}

// interrupt starts the batch and signals it during its n-th call from now, or a little later.
func (k *batchProcess) interrupt(signal syscall.Signal, n int64, delay time.Duration) (status int, stderr string) {
	k.t.Helper()
	cmd, text := k.start()
	k.hook = func() {
		time.Sleep(delay)
		_ = cmd.Process.Signal(signal)
	}
	k.at.Store(k.sent.Load() + n)
	_ = cmd.Wait()
	k.at.Store(0)
	return cmd.ProcessState.ExitCode(), text.String()
}

// Whenever the program is killed or interrupted, the same command resumes the batch. In the end
// the service has the same trades and retirements as after an uninterrupted batch.
func TestBatchResumesAfterKill(t *testing.T) {
	t.Parallel()
	lines, interruptions := int64(longtest.Runs(24, 100)), longtest.Runs(3, 10)
	batch := new(strings.Builder)
	batch.WriteString(shortHeader)
	for n := range lines {
		fmt.Fprintf(batch, "line-%d,004bale21,%d\n", n, []int{20, 60_000, 100_000, 7}[n%4])
	}
	calm := newBatchProcess(t, batch.String())
	calm.finish()
	want := calm.history()
	calm.finish()
	must.Equal(t, calm.history(), want, "repeating the finished batch changed the history to")

	k := newBatchProcess(t, batch.String())
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	chance := rand.New(rand.NewPCG(seed, 1))
	ends := map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGKILL: -1}
	for n := range interruptions {
		signal := []syscall.Signal{syscall.SIGKILL, syscall.SIGINT, syscall.SIGTERM}[n%3]
		call, delay := 1+chance.Int64N(2*lines/3/int64(interruptions)), time.Duration(chance.IntN(5000))*time.Microsecond
		status, stderr := k.interrupt(signal, call, delay)
		if status == 0 && k.sent.Load() >= lines {
			// On a busy machine the process may end before it sees the signal.
			break
		}
		must.Equal(t, status, ends[signal], signal, "at call", call, "of run", n, "status", stderr)
	}
	k.finish()
	must.Equal(t, k.history(), want, "history is", "without interruptions it is")
	rows := must.Get(os.ReadFile(k.args[len(k.args)-1]))
	must.Equal(t, bytes.Count(rows, []byte(",done,")), int(lines), "lines done", rows)
	t.Logf("%d calls for %d lines", k.sent.Load(), lines)
}

// Of two processes with one batch, only one makes a call; the other may report an error.
func TestConcurrentProcessesRetireBatchOnce(t *testing.T) {
	t.Parallel()
	batch := new(strings.Builder)
	batch.WriteString(shortHeader)
	for n := range 20 {
		fmt.Fprintf(batch, "line-%d,004bale21,1000000\n", n)
	}
	k := newBatchProcess(t, batch.String())
	first, firstErr := k.start()
	second, secondErr := k.start()
	for cmd, stderr := range map[*exec.Cmd]*bytes.Buffer{first: firstErr, second: secondErr} {
		err := cmd.Wait()
		must.Hold(t,
			err == nil || strings.Contains(stderr.String(), "another program ") ||
				strings.Contains(stderr.String(), "nothing was sent"),
			err, stderr)
	}
	k.finish()
	must.Equal(t, strings.Count(k.history(), "retire 1000000"), 20, "lines retired, want 20")
}
