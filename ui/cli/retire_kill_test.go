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

// killed is a batch in processes of its own, against a service in another.
type killed struct {
	*operator
	env  []string
	args []string
}

// newKilled serves a market of its own and has a batch for it.
func newKilled(t *testing.T, batch string) *killed {
	t.Helper()
	o := newOperator(t)
	o.must("serve", "--db", o.db, "catalogue", "import", o.write("c.csv", catalogueFile))
	o.must("serve", "--db", o.db, "tenants", "create", "Forest Ltd", "--country", "DE", "--tax-id", "DE 1")
	o.must("serve", "--db", o.db, "orders", "import", o.write("o.csv", retireOrders), "--seller", "Forest Ltd")
	key := field(o.must("serve", "--db", o.db, "keys", "create", "--tenant", "Buyer Ltd", "--create-tenant"), "key")
	home := t.TempDir()
	service := exec.Command(os.Args[0], "serve", "--listen", "127.0.0.1:0", "--db", o.db, "--rate", "-1")
	service.Env = environment(home)
	said := startServing(t, service)
	k := &killed{operator: o, env: environment(home, "TONNE_BASE_URL="+said["listening"], "TONNE_API_KEY="+key)}
	k.args = []string{"retire", "--allow-retire", "--yes", "--file", o.write("october.csv", batch), "--results", filepath.Join(o.env["HOME"], "r.csv")}
	return k
}

// start starts the batch.
func (k *killed) start() (*exec.Cmd, *bytes.Buffer) {
	k.t.Helper()
	said := new(bytes.Buffer)
	cmd := exec.Command(os.Args[0], k.args...)
	cmd.Env, cmd.Stderr = k.env, said
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	k.t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, said
}

// finish runs the batch to its end.
func (k *killed) finish() {
	k.t.Helper()
	cmd, said := k.start()
	if err := cmd.Wait(); err != nil {
		k.t.Fatalf("%v\n%s", err, said)
	}
}

// timed runs the batch to its end, and returns how long it took.
func (k *killed) timed() time.Duration {
	k.t.Helper()
	began := time.Now()
	k.finish()
	return time.Since(began)
}

// books are the trades and the retirements of the service, in order.
func (k *killed) books() string {
	k.t.Helper()
	m := must(marketplace.Open(k.t.Context(), k.db, marketplace.Options{}))
	defer m.Close()
	c := marketplacetest.Client{TB: k.t, Service: m}
	c.CheckBooks()
	return c.Text(`SELECT group_concat(line, '; ') FROM (
		SELECT 'buy ' || t.quantity_grams || ' at ' || t.price_cents AS line FROM trades t WHERE type = 'BUY' ORDER BY number)`) + "\n" +
		c.Text(`SELECT group_concat(line, '; ') FROM (SELECT 'retire ' || quantity_grams AS line FROM retirement_items ORDER BY number)`)
}

// Whenever the program is killed, the same command goes on, and the books of
// the service are those of a batch that nobody interrupted.
func TestABatchThatIsKilledEndsWithTheSameBooks(t *testing.T) {
	t.Parallel()
	const lines = 50
	kills := longtest.Runs(4, 10)
	batch := new(strings.Builder)
	batch.WriteString(shortHeader)
	for n := range lines {
		fmt.Fprintf(batch, "line-%d,004bale21,%d\n", n, []int{20, 1_000_000, 999_980, 1_500_000}[n%4])
	}
	calm := newKilled(t, batch.String())
	whole := calm.timed()
	want := calm.books()
	start := calm.timed()
	if again := calm.books(); again != want {
		t.Errorf("the same command, when all is done, changed the books to\n%s", again)
	}

	k, midway := newKilled(t, batch.String()), 0
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
	if got := k.books(); got != want {
		t.Errorf("the books are\n%s\nand those of a batch that was not killed\n%s", got, want)
	}
	if midway == 0 {
		t.Error("nothing was killed")
	}
	t.Logf("%d of %d runs were killed before their end, of %v each, %v of them to start", midway, kills, whole, start)
	rows := must(os.ReadFile(k.args[len(k.args)-1]))
	if n := bytes.Count(rows, []byte(",done,")); n != lines {
		t.Errorf("%d lines are done:\n%s", n, rows)
	}
}

// Two programs with one batch: at most one of them makes a call, and the other
// says so.
func TestTwoProcessesRetireABatchOnce(t *testing.T) {
	t.Parallel()
	batch := new(strings.Builder)
	batch.WriteString(shortHeader)
	for n := range 20 {
		fmt.Fprintf(batch, "line-%d,004bale21,1000000\n", n)
	}
	k := newKilled(t, batch.String())
	one, saidOne := k.start()
	other, saidOther := k.start()
	for cmd, said := range map[*exec.Cmd]*bytes.Buffer{one: saidOne, other: saidOther} {
		if err := cmd.Wait(); err != nil && !strings.Contains(said.String(), "another program ") && !strings.Contains(said.String(), "nothing was sent") {
			t.Errorf("%v\n%s", err, said)
		}
	}
	k.finish()
	if got := strings.Count(k.books(), "retire 1000000"); got != 20 {
		t.Errorf("20 t were to be retired, and %d were", got)
	}
}
