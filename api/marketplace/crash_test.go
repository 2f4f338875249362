package marketplace

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"tonne/model/dbfile/dbfiletest"
	"tonne/model/longtest"
)

// crashing tells a process of the test binary to be the one that is killed.
const crashing = "TONNE_TEST_CRASHING"

// crashWork is what that process works on.
type crashWork struct {
	Path, Prefix string
	Keys         []string
	Vintage      string
	Orders       []string
}

func TestMain(m *testing.M) {
	if work := os.Getenv(crashing); work != "" {
		workUntilKilled(work)
	}
	checks := longtest.Runs(25, 100)
	if raceDetector {
		// SQLite in Go is fifteen times slower under the race detector.
		checks = 12
	}
	if err := flag.Set("rapid.checks", fmt.Sprint(checks)); err != nil {
		panic(err)
	}
	flag.Parse()
	os.Exit(m.Run())
}

// workUntilKilled buys and retires from several goroutines and prints each
// external id that was accepted with its request, until the process dies.
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
			for i := 0; ; i++ {
				external := fmt.Sprint(work.Prefix, "-", worker, "-", i)
				answer := call(m, work.Keys[worker%2], http.MethodPost, "/api/caas/request-retirement", work.body(external, i))
				var accepted struct {
					ID string `json:"retirement_request_id"`
				}
				if err := json.Unmarshal(answer.Body.Bytes(), &accepted); err != nil || accepted.ID == "" {
					panic(answer.Body.String())
				}
				mu.Lock()
				fmt.Println(worker%2, external, accepted.ID)
				mu.Unlock()
			}
		}()
	}
	for {
		if err := m.advance(testNow); err != nil {
			panic(err)
		}
	}
}

func (w crashWork) body(external string, i int) string {
	return fmt.Sprintf(`{"vintage_id":%q,"external_id":%q,"quantity_grams":"%d","sell_order_id":%q,"expected_price_cents":"620"}`,
		w.Vintage, external, 1+i*333_333, w.Orders[i%len(w.Orders)])
}

// kills is how often the process is killed: TONNE_TEST_KILLS=100 tries harder.
func kills(t *testing.T) int {
	text := os.Getenv("TONNE_TEST_KILLS")
	if text == "" && raceDetector {
		return 1
	}
	if text == "" {
		return 3
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestKilledInMidWrite(t *testing.T) {
	t.Parallel()
	work := crashWork{Path: tempDatabase(t)}
	d := openFixture(t, work.Path, Options{RatePerSecond: -1})
	work.Keys, work.Vintage = []string{d.key, d.otherKey}, d.vintages[0].id
	for range 3 {
		work.Orders = append(work.Orders, d.sell(d.vintages[0], 1_000_000_000, 620))
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	promised := make(map[string]string)
	for n := range kills(t) {
		work.Prefix = strconv.Itoa(n)
		killAfter(t, work, 5+rand.IntN(60), promised)
		again := *d
		again.Marketplace = open(t, work.Path, Options{Now: d.clock.Now, RatePerSecond: -1})
		checkAfterCrash(t, &again, work, promised)
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A process may be killed after each page that it moves from its log into the
// file: all that was promised is in both together.
func TestKilledInMidCheckpoint(t *testing.T) {
	ofSQLite(t)
	t.Parallel()
	work := crashWork{Path: tempDatabase(t)}
	d := openFixture(t, work.Path, Options{RatePerSecond: -1})
	work.Keys, work.Vintage = []string{d.key, d.otherKey}, d.vintages[0].id
	work.Orders = []string{d.sell(d.vintages[0], 1_000_000_000, 620)}
	promised := make(map[string]string)
	for i := range 20 {
		external := fmt.Sprint("a-", i)
		w := call(d.Marketplace, d.key, http.MethodPost, "/api/caas/request-retirement", work.body(external, i))
		promised["0 "+external], _ = accepted(t, w.Body.Bytes())
	}
	for moved := 1; ; moved += 1 + moved {
		torn := tempDatabase(t)
		if !dbfiletest.TearCheckpoint(t, work.Path, torn, moved) {
			break
		}
		again := *d
		again.Marketplace = open(t, torn, Options{Now: d.clock.Now, RatePerSecond: -1})
		checkAfterCrash(t, &again, work, promised)
	}
}

// killAfter starts the working process and kills it once it has reported so
// many acceptances, while it is still writing.
func killAfter(t *testing.T, work crashWork, reports int, promised map[string]string) {
	t.Helper()
	text, err := json.Marshal(work)
	if err != nil {
		t.Fatal(err)
	}
	process := exec.CommandContext(t.Context(), os.Args[0])
	process.Env = append(os.Environ(), crashing+"="+string(text))
	var stderr strings.Builder
	process.Stderr = &stderr
	out, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for seen := 0; lines.Scan(); seen++ {
		who, id, whole := strings.Cut(lines.Text(), " ")
		external, request, whole2 := strings.Cut(id, " ")
		if whole && whole2 && len(request) == 18 {
			promised[who+" "+external] = request
		}
		if seen == reports {
			if err := process.Process.Kill(); err != nil {
				t.Error(err)
			}
		}
	}
	if err := process.Wait(); err == nil || stderr.Len() > 0 {
		t.Fatalf("the process was not killed at work: %v %s", err, &stderr)
	}
}

func checkFile(t *testing.T, d *fixture) {
	t.Helper()
	if got := d.text("SELECT integrity_check FROM pragma_integrity_check"); got != "ok" {
		t.Fatalf("the file is damaged: %s", got)
	}
	if n := d.query("SELECT count(*) FROM pragma_foreign_key_check"); n != 0 {
		t.Errorf("%d rows point nowhere", n)
	}
}

// checkAfterCrash checks that what was promised is there, and that nothing is
// there by halves.
func checkAfterCrash(t *testing.T, d *fixture, work crashWork, promised map[string]string) {
	t.Helper()
	if os.Getenv(onPostgres) == "" {
		checkFile(t, d)
	}
	checkBooks(t, d)
	for who, request := range promised {
		worker, external, _ := strings.Cut(who, " ")
		key := work.Keys[0]
		if worker == "1" {
			key = work.Keys[1]
		}
		w := call(d.Marketplace, key, http.MethodPost, "/api/caas/request-retirement", work.body(external, 0))
		if id, replayed := accepted(t, w.Body.Bytes()); id != request || !replayed {
			t.Errorf("%s was promised request %s, now it is %s", who, request, w.Body)
		}
	}
}
