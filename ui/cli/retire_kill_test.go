//go:build unix

package cli

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tonne/api/marketplace"
	"tonne/api/marketplace/marketplacetest"
	"tonne/model/longtest"
)

// batchProcess runs a batch in processes that can be killed, with a service in another
// process.
type batchProcess struct {
	*operator
	env  []string
	args []string
}

func newBatchProcess(t *testing.T, batch string) *batchProcess {
	t.Helper()
	o := newOperator(t)
	home := t.TempDir()
	service := exec.Command(os.Args[0], "serve", "--listen", "127.0.0.1:0", "--db", o.db, "--rate", "-1")
	service.Env = environment(home)
	values := startServing(t, service)
	k := &batchProcess{operator: o, env: environment(home, "TONNE_BASE_URL="+values["listening"], "TONNE_API_KEY="+retirerMarket.key)}
	k.args = []string{"retire", "--allow-retire", "--yes", "--file", o.write("october.csv", batch), "--results", filepath.Join(o.env["HOME"], "r.csv")}
	return k
}

// start starts the batch.
func (k *batchProcess) start() (*exec.Cmd, *bytes.Buffer) {
	k.t.Helper()
	stderr := new(bytes.Buffer)
	cmd := exec.Command(os.Args[0], k.args...)
	cmd.Env, cmd.Stderr = k.env, stderr
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	k.t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, stderr
}

func (k *batchProcess) finish() {
	k.t.Helper()
	cmd, stderr := k.start()
	if err := cmd.Wait(); err != nil {
		k.t.Fatalf("%v\n%s", err, stderr)
	}
}

// finishTimed returns the duration of the batch.
func (k *batchProcess) finishTimed() time.Duration {
	k.t.Helper()
	began := time.Now()
	k.finish()
	return time.Since(began)
}

// history returns the trades and the retirements of the service, in order.
func (k *batchProcess) history() string {
	k.t.Helper()
	m := must(marketplace.Open(k.t.Context(), k.db, marketplace.Options{}))
	defer m.Close()
	c := marketplacetest.Client{TB: k.t, Service: m}
	c.CheckBooks()
	return c.Text(`SELECT group_concat(line, '; ') FROM (
		SELECT 'buy ' || t.quantity_grams || ' at ' || t.price_cents AS line FROM trades t WHERE type = 'BUY' ORDER BY number)`) + "\n" +
		c.Text(`SELECT group_concat(line, '; ') FROM (SELECT 'retire ' || quantity_grams AS line FROM retirement_items ORDER BY number)`)
}

// Whenever the program is killed, the same command resumes the batch. In the end the service
// has the same trades and retirements as after an uninterrupted batch.
func TestBatchResumesAfterKill(t *testing.T) {
	t.Parallel()
	const lines = 50
	kills := longtest.Runs(4, 10)
	batch := new(strings.Builder)
	batch.WriteString(shortHeader)
	for n := range lines {
		fmt.Fprintf(batch, "line-%d,004bale21,%d\n", n, []int{20, 1_000_000, 999_980, 1_500_000}[n%4])
	}
	calm := newBatchProcess(t, batch.String())
	whole := calm.finishTimed()
	want := calm.history()
	start := calm.finishTimed()
	if again := calm.history(); again != want {
		t.Errorf("repeating the finished batch changed the history to\n%s", again)
	}

	k, midway := newBatchProcess(t, batch.String()), 0
	chance := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	for range kills {
		cmd, _ := k.start()
		time.Sleep(start + time.Duration(chance.Int64N(int64(max(whole-start, 6)/6))))
		_ = cmd.Process.Kill()
		if cmd.Wait() != nil {
			midway++
		}
	}
	k.finish()
	if got := k.history(); got != want {
		t.Errorf("history is\n%s\nwithout kills it is\n%s", got, want)
	}
	if midway == 0 {
		t.Error("no run was killed")
	}
	t.Logf("%d of %d runs were killed before their end; a run takes %v, of which the start takes %v", midway, kills, whole, start)
	rows := must(os.ReadFile(k.args[len(k.args)-1]))
	if n := bytes.Count(rows, []byte(",done,")); n != lines {
		t.Errorf("%d lines done:\n%s", n, rows)
	}
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
		if err := cmd.Wait(); err != nil && !strings.Contains(stderr.String(), "another program ") && !strings.Contains(stderr.String(), "nothing was sent") {
			t.Errorf("%v\n%s", err, stderr)
		}
	}
	k.finish()
	if got := strings.Count(k.history(), "retire 1000000"); got != 20 {
		t.Errorf("%d lines retired, want 20", got)
	}
}
