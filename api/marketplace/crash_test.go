package marketplace

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"tonne/api/marketplace/exchange"
	"tonne/model/file/dbfile/dbfiletest"
	"tonne/model/longtest"
	must "tonne/model/musttest"
)

// crashing is the environment variable with the work of a process of the test binary that is
// killed.
const crashing = "TONNE_TEST_CRASHING"

type crashWork struct {
	Path, Prefix string
	Keys         []string
	Vintage      string
	Orders       []string
}

// newCrashWork sells as much as any number of processes can buy.
func newCrashWork(d *fixture) crashWork {
	work := crashWork{Path: d.path, Keys: []string{d.Key, d.OtherKey}, Vintage: d.Vintages[0].ID}
	for range 3 {
		work.Orders = append(work.Orders, d.Sell(d.Vintages[0], 1_000_000_000, 620))
	}
	return work
}

// buy retires with a key. The first call of an external id decides the quantity.
func (w crashWork) buy(m *Marketplace, key int, external string, n int) *httptest.ResponseRecorder {
	text := fmt.Sprintf(`{"vintage_id":%q,"external_id":%q,"quantity_grams":"%d","sell_order_id":%q,"expected_price_cents":"620"}`,
		w.Vintage, external, 1+n*333_333, w.Orders[n%len(w.Orders)])
	return call(m, w.Keys[key], http.MethodPost, "/api/caas/request-retirement", text)
}

// workUntilKilled buys from several goroutines, and prints each acknowledged external id with
// its request.
func workUntilKilled(text string) {
	var work crashWork
	if err := json.Unmarshal([]byte(text), &work); err != nil {
		panic(err)
	}
	m, err := Open(context.Background(), work.Path, Options{RatePerSecond: -1})
	if err != nil {
		panic(err)
	}
	var mu sync.Mutex
	for worker := range 4 {
		go func() {
			for n := 0; ; n++ {
				external := fmt.Sprint(work.Prefix, "-", worker, "-", n)
				w := work.buy(m, worker%2, external, n)
				_, id, found := strings.Cut(w.Body.String(), `"retirement_request_id":"`)
				if w.Code != http.StatusOK || !found {
					panic(w.Body.String())
				}
				mu.Lock()
				fmt.Println(worker%2, external, id[:18])
				mu.Unlock()
			}
		}()
	}
	for {
		if err := m.Change(context.Background(), testNow, clock, exchange.Advance); err != nil {
			panic(err)
		}
	}
}

// killWorker starts such a process and kills it while it writes, after some acknowledgements. It
// adds them to promised: "KEY EXTERNAL-ID" and the request.
func killWorker(t *testing.T, work crashWork, reports int, promised map[string]string) {
	t.Helper()
	text := must.Get(json.Marshal(work))
	process := exec.CommandContext(t.Context(), os.Args[0])
	process.Env = append(os.Environ(), crashing+"="+string(text))
	var stderr strings.Builder
	process.Stderr = &stderr
	out, err := process.StdoutPipe()
	must.Succeed(t, err, process.Start())
	lines := bufio.NewScanner(out)
	for seen := 0; lines.Scan(); seen++ {
		if words := strings.Fields(lines.Text()); len(words) == 3 && len(words[2]) == 18 {
			promised[words[0]+" "+words[1]] = words[2]
		}
		if seen == reports {
			must.Succeed(t, process.Process.Kill())
		}
	}
	err = process.Wait()
	must.Need(t, err != nil && stderr.Len() <= 0, "the process was not killed at work", err, &stderr)
}

// checkPromises checks that every acknowledged request is in the database, once, and that the
// database is consistent.
func (w crashWork) checkPromises(t *testing.T, d *fixture, promised map[string]string) {
	t.Helper()
	if !OnServer(d.path) {
		got := d.Text("SELECT integrity_check FROM pragma_integrity_check")
		must.Need(t, got == "ok", "the file is damaged", got)
		must.Equal(t, d.Number("SELECT count(*) FROM pragma_foreign_key_check"), 0)
	}
	d.CheckBooks()
	for who, request := range promised {
		key, external, _ := strings.Cut(who, " ")
		id, replayed := d.Accepted(w.buy(d.Marketplace, int(key[0]-'0'), external, 0))
		must.Hold(t, id == request && replayed, who, request, id)
	}
}

// kills is how often a process is killed.
func kills() int { return longtest.Runs(1, 3) }

func TestKilledInMidWrite(t *testing.T) {
	t.Parallel()
	d := onSQLite(t)
	work, promised := newCrashWork(d), make(map[string]string)
	must.Succeed(t, d.Marketplace.Close())
	for n := range kills() {
		work.Prefix = strconv.Itoa(n)
		killWorker(t, work, 5+rand.IntN(60), promised)
		again := d.at(t, d.path)
		work.checkPromises(t, again, promised)
		must.Succeed(t, again.Marketplace.Close())
	}
}

// A process may be killed after each page that it copies from its log into the file.
func TestKilledInMidCheckpoint(t *testing.T) {
	t.Parallel()
	d := onSQLite(t)
	work, promised := newCrashWork(d), make(map[string]string)
	for n := range 20 {
		external := fmt.Sprint("a-", n)
		promised["0 "+external], _ = d.Accepted(work.buy(d.Marketplace, 0, external, n))
	}
	for copied := 1; ; copied += 1 + copied {
		torn := tempDatabase(t)
		if !dbfiletest.TearCheckpoint(t, d.path, torn, copied) {
			break
		}
		work.checkPromises(t, d.at(t, torn), promised)
	}
}

// Both instances of a service are killed at work in turns, while the other continues.
func TestEitherOfTwoInstancesIsKilled(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	d := onPostgres(t)
	work := newCrashWork(d)
	promised := []map[string]string{{}, {}}
	for n := range kills() {
		var both sync.WaitGroup
		for one := range promised {
			alone, reports := work, 5
			alone.Prefix = fmt.Sprint(one, "-", n)
			if one == n%2 {
				reports = 25
			}
			both.Go(func() { killWorker(t, alone, reports, promised[one]) })
		}
		both.Wait()
	}
	maps.Copy(promised[0], promised[1])
	work.checkPromises(t, d, promised[0])
}
