//go:build unix

package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/apitest"
	"tonne/api/wire"
	"tonne/api/worker"
	"tonne/model"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

// BenchmarkLedger compares commands that read a ledger of 20,000 retired requests with
// printing it as CSV.
func BenchmarkLedger(b *testing.B) {
	const requests = 20_000
	home := b.TempDir()
	service := startServing(b, serveProcess(home, "--demo-data", "--rate", "-1", "--advance", "1s"))
	ids := retireTonnes(b, service, requests)
	file := filepath.Join(home, "ids.txt")
	must.Succeed(b, os.WriteFile(file, []byte(strings.Join(ids, "\n")), 0o600))
	program := programOf(b, "tonne")
	run := func(status int, args ...string) (time.Duration, string) {
		cmd := exec.Command(program, args...)
		cmd.Env = append(releaseEnv(home), "TONNE_BASE_URL="+service["listening"], "TONNE_API_KEY="+service["key"])
		begin := time.Now()
		var problem strings.Builder
		cmd.Stderr = &problem
		out, _ := cmd.Output()
		must.Need(b, cmd.ProcessState.ExitCode() == status, args, problem.String())
		return time.Since(begin), string(out)
	}
	run(0, "retirement", "--file", file, "--wait", "-o", "csv")
	commands := []struct {
		name   string
		status int
		args   []string
	}{
		{"find-none", 4, []string{"ledger", "find", "nobody-has-this"}},
		{"find-ten", 0, []string{"ledger", "find", "tenfold", "-o", "csv"}},
		{"statement", 0, []string{"statement", "--from", "2020-01-01", "-o", "csv"}},
		{"close", 0, []string{"ledger", "close", time.Now().UTC().Format("2006-01"), "-o", "csv"}},
		{"pdf", 0, []string{"statement", "--from", "2020-01-01", "-o", "csv", "--pdf", filepath.Join(home, "s.pdf"), "--overwrite"}},
		{"import", 0, []string{"retirement", "--file", file, "-o", "csv"}},
	}
	// The first search writes the index.
	_, found := run(0, "ledger", "find", "tenfold", "-o", "csv")
	must.Equal(b, strings.Count(found, "\n"), 11, found)
	took, peer := make([]time.Duration, len(commands)), time.Duration(0)
	var tab, emptyTab time.Duration
	for b.Loop() {
		for range 20 {
			d, _ := run(0, "__complete", "retirement", "")
			tab += d
			d, _ = run(0, "__complete", "market", "")
			emptyTab += d
		}
		whole, csv := run(0, "ledger", "-o", "csv")
		must.Equal(b, strings.Count(csv, "COMPLETE"), requests)
		peer += whole
		for n, c := range commands {
			d, _ := run(c.status, c.args...)
			took[n] += d
		}
	}
	for n, c := range commands {
		b.ReportMetric(float64(took[n])/float64(peer), "×csv/"+c.name)
	}
	b.ReportMetric(float64(tab)/float64(emptyTab), "×market/tab")
	b.ReportMetric(peer.Seconds()/float64(b.N), "s/csv")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkLookUps compares looking up 1,000 requests of as many projects, 20 ms away, with
// fetching the same answers over 8 connections and discarding them.
func BenchmarkLookUps(b *testing.B) {
	const requests = 1000
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(20 * time.Millisecond)
		if r.URL.Path == "/api/projects" {
			var projects []string
			for _, id := range r.URL.Query()["project_ids[]"] {
				projects = append(projects,
					fmt.Sprintf(`{"project_id":%q,"project_name":"Forest %s","type":"REDD+","location":"ET","registry_id":"1340","registry_name":"VERRA","sdgs":[],"vintages":[]}`, id, id))
			}
			fmt.Fprintf(w, `{"projects":[%s]}`, strings.Join(projects, ","))
			return
		}
		id := r.URL.Query().Get("id")
		fmt.Fprintf(w,
			`{"id":%q,"status":"CLOSED","total_quantity":"1000000","type":"WHOLE","project_id":"P%s","vintage_id":"V",
			"created_at":"2026-01-01T10:00:00.000Z","should_retire_external_customer":false,"all_invoices_settled":false,"retirement_request_items":[]}`, id, id)
	}))
	defer service.Close()
	ids, program := numbered("R%d", requests), programOf(b, "tonne")
	var took, peer time.Duration
	for b.Loop() {
		begin := time.Now()
		apitest.Discard(b.Context(), requests, func(i int) string { return service.URL + "/api/retirement?id=" + ids[i] })
		peer += time.Since(begin)
		begin = time.Now()
		cmd := exec.Command(program, "retirement", "-")
		cmd.Stdin = strings.NewReader(strings.Join(ids, "\n"))
		cmd.Env = append(releaseEnv(b.TempDir()), "TONNE_BASE_URL="+service.URL, "TONNE_API_KEY="+testKey)
		out, err := cmd.CombinedOutput()
		must.Need(b, err == nil && strings.Count(string(out), "Forest P") == requests, err, string(out[:min(len(out), 2000)]))
		took += time.Since(begin)
	}
	b.ReportMetric(float64(took)/float64(peer), "×ideal")
	b.ReportMetric(took.Seconds()/float64(b.N), "s/look-ups")
	b.ReportMetric(0, "ns/op")
}

// retireTonnes retires as many requests of a tonne, ten of them for Tenfold Ltd, and returns
// their ids.
func retireTonnes(b *testing.B, service map[string]string, requests int) []string {
	client := must.Get(api.NewRetirer(api.Options{BaseURL: service["listening"], Key: service["key"]}))
	defer client.Close()
	market := must.Get(client.Market(b.Context(), 0, nil))
	var calls []retirement.Call
	for v := 0; len(calls) < requests; v++ {
		// The tenant's own order is never the cheapest.
		ask := market.Book(v).Asks[0]
		calls = append(calls, slices.Repeat([]retirement.Call{{
			VintageID: market.Vintage(v).ID, SellOrderID: ask.Order.ID, Price: ask.Order.Price, Quantity: model.GramsPerTonne,
			BuyTonnes: 1,
		}}, int(ask.Tonnes))...)
	}
	for i := range 10 {
		calls[i].Retiree = retirement.Retiree{Name: "Tenfold Ltd", TaxID: "10", Country: "SE"}
	}
	ids := make([]string, requests)
	worker.Each(b.Context(), 8, requests, func(i int) {
		ids[i] = must.Get(client.RequestRetirement(b.Context(),
			wire.AppendRetireCall(nil, fmt.Sprint(i), calls[i]))).RequestID
	})
	return ids
}
