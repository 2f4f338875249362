//go:build unix

package cli

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tonne/api"
	"tonne/api/apitest"
	"tonne/api/wire"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

// BenchmarkBatch compares a batch of a thousand retirements, whose journal is synced before each
// call, with the same calls without a journal. The service is another process.
func BenchmarkBatch(b *testing.B) {
	const lines = 1000
	// The usual directory of these tests is in memory, where syncing costs nothing.
	b.Setenv("TMPDIR", "/var/tmp")
	home := b.TempDir()
	service := startServing(b, serveProcess(home, "--demo-data", "--rate", "-1"))
	client := must.Get(api.NewRetirer(api.Options{BaseURL: service["listening"], Key: service["key"]}))
	defer client.Close()
	call := retirement.Call{Quantity: 20, BuyTonnes: 1}
	market := must.Get(client.Market(b.Context(), 0, nil))
	for v := range market.Vintages() {
		for _, ask := range market.Book(v).Asks {
			if ask.Tonnes >= 100 {
				call.VintageID, call.SellOrderID, call.Price = market.Vintage(v).ID, ask.Order.ID, ask.Order.Price
			}
		}
	}
	var took, peer time.Duration
	for round := 0; b.Loop(); round++ {
		begin := time.Now()
		for n := range lines {
			must.Get(client.RequestRetirement(b.Context(), wire.AppendRetireCall(nil, fmt.Sprint(round, "-", n), call)))
		}
		peer += time.Since(begin)
		// Lines under a reference of an earlier round would be repetitions.
		batch := "reference,vintage_id,quantity_grams,sell_order_id\n"
		for n := range lines {
			batch += fmt.Sprintf("%d-%d,%s,%d,%s\n", round, n, call.VintageID, call.Quantity, call.SellOrderID)
		}
		own := b.TempDir()
		file := filepath.Join(own, "batch.csv")
		must.Succeed(b, os.WriteFile(file, []byte(batch), 0o600))
		begin = time.Now()
		cmd := exec.Command(os.Args[0], "retire", "--allow-retire", "--yes", "--file", file, "--results", file+".results")
		cmd.Env = environment(own, "TONNE_BASE_URL="+service["listening"], "TONNE_API_KEY="+service["key"])
		out, err := cmd.CombinedOutput()
		must.Need(b, err == nil, err, string(out[max(0, len(out)-500):]))
		took += time.Since(begin)
	}
	b.ReportMetric(float64(took)/float64(peer), "×loop")
	b.ReportMetric(took.Seconds()/float64(b.N), "s/batch")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkShare compares 200 guests of a shared desk, each with another SSH key, with one
// guest. The market is that of the demo and changes all the time.
func BenchmarkShare(b *testing.B) {
	const guests, samples = 200, 300
	market := startServing(b, serveProcess(b.TempDir(), "--demo-data", "--live"))
	var requests atomic.Int64
	proxy := httputil.NewSingleHostReverseProxy(must.Get(url.Parse(market["listening"])))
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		proxy.ServeHTTP(w, r)
	}))
	defer service.Close()
	desk, names := &shared{t: b, people: make(people)}, numbered("guest%d", guests)
	home, lines := b.TempDir(), desk.people.lines(b, names)
	keys := filepath.Join(home, "authorized_keys")
	must.Succeed(b, os.WriteFile(keys, []byte(lines), 0o600))
	cmd := exec.Command(os.Args[0], "share", "--listen", "127.0.0.1:0", "--authorized-keys", keys)
	cmd.Env = environment(home, "TONNE_BASE_URL="+service.URL, "TONNE_API_KEY="+market["key"])
	address := startServing(b, cmd)["listening"]
	server := &program{cmd: cmd}
	_, desk.port, _ = net.SplitHostPort(address)
	open := func(who string) *remoteDashboard {
		f := desk.openDashboard(who)
		f.await("at the desk")
		must.Succeed(b, f.shell.WindowChange(36, 120))
		f.await("TREND")
		return f
	}
	for b.Loop() {
		first := open(names[0])
		report := func(who string) {
			before := requests.Load()
			time.Sleep(10 * time.Second)
			b.ReportMetric(float64(requests.Load()-before), "requests/"+who)
			var took []float64
			for range samples {
				took = append(took, first.show("2", "WALLET"))
				first.show("1", "TREND")
			}
			b.ReportMetric(percentile(took, 99)/1e6, "ms-p99/"+who)
		}
		report("one")
		alone := server.resident(b)
		for _, p := range names[1:] {
			open(p)
		}
		report("all")
		b.ReportMetric((server.resident(b)-alone)/(guests-1), "MiB/guest")
	}
	b.ReportMetric(0, "ns/op")
}

// show presses a key and returns the time until a text is written.
func (f *remoteDashboard) show(key, text string) float64 {
	begin := time.Now()
	f.press(key)
	f.await(text)
	return float64(time.Since(begin))
}

// BenchmarkMarketCSV compares `tonne market -o csv` with fetching the same pages over as many
// connections and discarding them. The server has encoded them before, but for an order that it
// reprices. A page has 100 projects with 100 orders each, without tags. The market is recorded in the
// same home each time, in a new one, or not at all.
func BenchmarkMarketCSV(b *testing.B) {
	program := programOf(b, "tonne")
	for _, pages := range []int{10, 100} {
		address := startLarge(b, pages*100, 100)
		page := func(i int) string { return fmt.Sprintf("%s/api/market?page=%d&per_page=100", address, i+1) }
		// The server encodes its pages.
		apitest.Discard(b.Context(), pages, page)
		kept := b.TempDir()
		setting := filepath.Join(kept, "unrecorded.toml")
		must.Succeed(b, os.WriteFile(setting, []byte("record_orders = false\n"), 0o600))
		for name, command := range map[string]func() (home string, args []string){
			"recorded":   func() (string, []string) { return kept, nil },
			"new":        func() (string, []string) { return b.TempDir(), nil },
			"unrecorded": func() (string, []string) { return kept, []string{"--config", setting} },
		} {
			b.Run(fmt.Sprintf("orders=%d0000/%s", pages, name), func(b *testing.B) {
				var took, peer time.Duration
				var memory int64
				for b.Loop() {
					begin := time.Now()
					apitest.Discard(b.Context(), pages, page)
					peer += time.Since(begin)
					home, args := command()
					begin = time.Now()
					cmd := exec.Command(program, append(args, "market", "-o", "csv")...)
					cmd.Env = append(releaseEnv(home), "TONNE_BASE_URL="+address, "TONNE_API_KEY="+testKey)
					must.Succeed(b, cmd.Run())
					took += time.Since(begin)
					memory = max(memory, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
				}
				b.ReportMetric(float64(took)/float64(peer), "×discard")
				b.ReportMetric(took.Seconds()/float64(b.N), "s/market")
				b.ReportMetric(float64(memory)/1024, "MiB")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// BenchmarkAgentMarket compares the first answer of `tonne mcp`, from the start of the process, with
// `tonne market -o json`, on a market of 100,000 orders in another process.
func BenchmarkAgentMarket(b *testing.B) {
	program, address := programOf(b, "tonne"), startLarge(b, 1000, 100)
	var took, peer time.Duration
	for b.Loop() {
		env := append(releaseEnv(b.TempDir()), "TONNE_BASE_URL="+address, "TONNE_API_KEY="+testKey)
		begin := time.Now()
		cmd := exec.Command(program, "market", "-o", "json")
		cmd.Env = env
		must.Succeed(b, cmd.Run())
		peer += time.Since(begin)
		cmd = exec.Command(program, "mcp")
		cmd.Env = env
		begin = time.Now()
		session := must.Get(sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1"}, nil).
			Connect(b.Context(), &sdk.CommandTransport{Command: cmd}, nil))
		answer := must.Get(session.CallTool(b.Context(), &sdk.CallToolParams{Name: "market", Arguments: arguments{}}))
		took += time.Since(begin)
		must.Need(b, !answer.IsError, answer.Content)
		must.Succeed(b, session.Close())
	}
	b.ReportMetric(float64(took)/float64(peer), "×command")
	b.ReportMetric(took.Seconds()/float64(b.N), "s/answer")
	b.ReportMetric(0, "ns/op")
}
