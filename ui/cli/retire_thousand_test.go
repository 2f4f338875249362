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

// between stands between a batch and its service, and sends a signal to the
// batch at some instant of a call.
type between struct {
	forward http.Handler
	calls   atomic.Int64
	// at is the call that strikes; strike is what happens then.
	at     atomic.Int64
	strike func()
}

func (b *between) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.Method == http.MethodPost && b.calls.Add(1) == b.at.Load() {
		go b.strike()
	}
	b.forward.ServeHTTP(w, req)
}

// newBetween puts it before the service of a batch.
func newBetween(t *testing.T, k *killed) *between {
	t.Helper()
	var service *url.URL
	for i, variable := range k.env {
		if base, found := strings.CutPrefix(variable, "TONNE_BASE_URL="); found {
			service = must(url.Parse(base))
			proxy := httputil.NewSingleHostReverseProxy(service)
			proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
			b := &between{forward: proxy}
			server := httptest.NewServer(b)
			t.Cleanup(server.Close)
			k.env[i] = "TONNE_BASE_URL=" + server.URL
			return b
		}
	}
	t.Fatal("there is no service")
	return nil
}

// interrupt runs the batch and sends it a signal within a call some way on. It
// returns how the batch ended.
func (b *between) interrupt(k *killed, signal syscall.Signal, on int64, within time.Duration) (status int, said string) {
	k.t.Helper()
	cmd, text := k.start()
	b.strike = func() {
		time.Sleep(within)
		_ = cmd.Process.Signal(signal)
	}
	b.at.Store(b.calls.Load() + on)
	_ = cmd.Wait()
	b.at.Store(0)
	return cmd.ProcessState.ExitCode(), text.String()
}

// Whatever ends a batch of a thousand lines, wherever it is, and ten times over:
// the books are those of a batch that nobody interrupted.
func TestABatchOfAThousandLinesThatIsInterruptedTenTimesEndsWithTheSameBooks(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	const lines, interruptions = 1000, 10
	batch := new(strings.Builder)
	batch.WriteString(shortHeader)
	for n := range lines {
		fmt.Fprintf(batch, "line-%d,004bale21,%d\n", n, []int{20, 60_000, 100_000, 7}[n%4])
	}
	calm := newKilled(t, batch.String())
	calm.finish()
	want := calm.books()

	k := newKilled(t, batch.String())
	b := newBetween(t, k)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	chance := rand.New(rand.NewPCG(seed, 1))
	ends := map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGKILL: -1}
	for n := range interruptions {
		signal := []syscall.Signal{syscall.SIGKILL, syscall.SIGINT, syscall.SIGTERM}[n%3]
		on, within := 1+chance.Int64N(2*lines/3/interruptions), time.Duration(chance.IntN(5000))*time.Microsecond
		if status, said := b.interrupt(k, signal, on, within); status != ends[signal] {
			t.Errorf("%v at call %d of run %d: status %d\n%s", signal, on, n, status, said)
		}
	}
	k.finish()
	if got := k.books(); got != want {
		t.Errorf("the books are\n%s\nand those of a batch that was not interrupted\n%s", got, want)
	}
	rows := must(os.ReadFile(k.args[len(k.args)-1]))
	if n := bytes.Count(rows, []byte(",done,")); n != lines {
		t.Errorf("%d lines are done", n)
	}
	t.Logf("%d calls for %d lines", b.calls.Load(), lines)
}
