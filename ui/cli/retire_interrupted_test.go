//go:build unix

package cli

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"tonne/model/longtest"
)

// signalProxy forwards calls of a batch to its service, and signals the batch during a call.
type signalProxy struct {
	forward http.Handler
	calls   atomic.Int64
	// at is the number of the call during which hook runs.
	at   atomic.Int64
	hook func()
}

func (b *signalProxy) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.Method == http.MethodPost && b.calls.Add(1) == b.at.Load() {
		go b.hook()
	}
	b.forward.ServeHTTP(w, req)
}

// newSignalProxy starts a proxy and makes the batch use it.
func newSignalProxy(t *testing.T, k *batchProcess) *signalProxy {
	t.Helper()
	var service *url.URL
	for i, variable := range k.env {
		if base, found := strings.CutPrefix(variable, "TONNE_BASE_URL="); found {
			service = must(url.Parse(base))
			proxy := httputil.NewSingleHostReverseProxy(service)
			proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
			b := &signalProxy{forward: proxy}
			server := httptest.NewServer(b)
			t.Cleanup(server.Close)
			k.env[i] = "TONNE_BASE_URL=" + server.URL
			return b
		}
	}
	t.Fatal("no TONNE_BASE_URL")
	return nil
}

// interrupt runs the batch and signals it at a delay after the start of its n-th call. It
// returns the exit status and standard error.
func (b *signalProxy) interrupt(k *batchProcess, signal syscall.Signal, n int64, delay time.Duration) (status int, stderr string) {
	k.t.Helper()
	cmd, text := k.start()
	b.hook = func() {
		time.Sleep(delay)
		_ = cmd.Process.Signal(signal)
	}
	b.at.Store(b.calls.Load() + n)
	_ = cmd.Wait()
	b.at.Store(0)
	return cmd.ProcessState.ExitCode(), text.String()
}

// After ten interruptions, the service has the same trades and retirements as after an
// uninterrupted batch.
func TestLargeBatchResumesAfterTenInterruptions(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	const lines, interruptions = 1000, 10
	batch := new(strings.Builder)
	batch.WriteString(shortHeader)
	for n := range lines {
		fmt.Fprintf(batch, "line-%d,004bale21,%d\n", n, []int{20, 60_000, 100_000, 7}[n%4])
	}
	calm := newBatchProcess(t, batch.String())
	calm.finish()
	want := calm.history()

	k := newBatchProcess(t, batch.String())
	b := newSignalProxy(t, k)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	chance := rand.New(rand.NewPCG(seed, 1))
	ends := map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGKILL: -1}
	for n := range interruptions {
		signal := []syscall.Signal{syscall.SIGKILL, syscall.SIGINT, syscall.SIGTERM}[n%3]
		call, delay := 1+chance.Int64N(2*lines/3/interruptions), time.Duration(chance.IntN(5000))*time.Microsecond
		if status, stderr := b.interrupt(k, signal, call, delay); status != ends[signal] {
			t.Errorf("%v at call %d of run %d: status %d\n%s", signal, call, n, status, stderr)
		}
	}
	k.finish()
	if got := k.history(); got != want {
		t.Errorf("history is\n%s\nwithout interruptions it is\n%s", got, want)
	}
	rows := must(os.ReadFile(k.args[len(k.args)-1]))
	if n := bytes.Count(rows, []byte(",done,")); n != lines {
		t.Errorf("%d lines done", n)
	}
	t.Logf("%d calls for %d lines", b.calls.Load(), lines)
}
