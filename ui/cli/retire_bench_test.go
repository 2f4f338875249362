//go:build unix

package cli

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/wire"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
)

// batchBench is a service in another process, and a call for it.
type batchBench struct {
	home, base, key string
	client          *api.Client
	order           retirement.Call
}

func newBatchBench(b *testing.B) *batchBench {
	b.Helper()
	s := &batchBench{home: b.TempDir()}
	service := exec.Command(os.Args[0], "serve", "--listen", "127.0.0.1:0", "--demo-data", "--rate", "-1", "--db", filepath.Join(s.home, "market.db"))
	service.Env = environment(s.home)
	values := startServing(b, service)
	s.base, s.key = values["listening"], values["key"]
	var err error
	if s.client, err = api.New(api.Options{BaseURL: s.base, Key: s.key, MayRetire: true}); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.client.Close)
	market, err := s.client.Market(b.Context(), 0, nil)
	if err != nil {
		b.Fatal(err)
	}
	for v := range market.Vintages() {
		for _, ask := range market.Book(v).Asks {
			if ask.Tonnes >= 100 {
				s.order = retirement.Call{VintageID: market.Vintage(v).ID, Quantity: 20, BuyTonnes: 1, SellOrderID: ask.Order.ID, Price: ask.Order.Price}
				return s
			}
		}
	}
	b.Fatal("nothing is for sale")
	return nil
}

// loop makes the calls without a journal.
func (s *batchBench) loop(b *testing.B, lines int, name string) {
	b.Helper()
	for n := range lines {
		id := name + "-" + strconv.Itoa(n)
		if _, err := s.client.RequestRetirement(b.Context(), wire.AppendRetireCall(nil, id, s.order)); err != nil {
			b.Fatal(err)
		}
	}
}

// batch makes the calls with `tonne retire --file`. Each batch has a new journal, otherwise
// its lines would count as repetitions.
func (s *batchBench) batch(b *testing.B, lines int, name string) {
	b.Helper()
	text := bytes.NewBufferString("reference,vintage_id,quantity_grams,sell_order_id\n")
	for n := range lines {
		fmt.Fprintf(text, "%d,%s,%d,%s\n", n, s.order.VintageID, s.order.Quantity, s.order.SellOrderID)
	}
	file := filepath.Join(s.home, name+".csv")
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	env := map[string]string{
		"HOME": s.home, "XDG_CONFIG_HOME": s.home, "XDG_DATA_HOME": filepath.Join(s.home, name), "XDG_STATE_HOME": filepath.Join(s.home, "state"),
		"TONNE_BASE_URL": s.base, "TONNE_API_KEY": s.key,
	}
	var stdout, stderr bytes.Buffer
	status := Run(context.WithoutCancel(b.Context()), command.Process{
		Args: []string{"retire", "--allow-retire", "--yes", "--file", file, "--results", file + ".results"}, Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
		Getenv: func(name string) string { return env[name] }, Now: time.Now, Keyring: newFakeRing(), Transport: http.DefaultTransport,
	})
	if status != 0 {
		b.Fatalf("status %d\n%s", status, stderr.String())
	}
}

// BenchmarkBatch compares a batch of a thousand lines, which writes each call to disk before
// it is sent, with a loop without a journal.
func BenchmarkBatch(b *testing.B) {
	const lines = 1000
	s := newBatchBench(b)
	var batch, loop time.Duration
	n := 0
	for b.Loop() {
		n++
		began := time.Now()
		s.loop(b, lines, fmt.Sprint("loop-", n))
		looped := time.Now()
		s.batch(b, lines, fmt.Sprint("batch-", n))
		loop, batch = loop+looped.Sub(began), batch+time.Since(looped)
	}
	b.ReportMetric(float64(batch)/float64(loop), "×loop")
	b.ReportMetric(float64(batch.Microseconds())/float64(n*lines), "µs/line")
}
