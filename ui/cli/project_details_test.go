package cli

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// distantProjects is a service with a latency of 20 ms. Each retirement request has another
// project. It records the queries for project details.
type distantProjects struct {
	mu      sync.Mutex
	queries []string
}

func (d *distantProjects) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	if r.URL.Path == "/api/projects" {
		d.queries = append(d.queries, r.URL.RequestURI())
	}
	d.mu.Unlock()
	time.Sleep(20 * time.Millisecond)
	if r.URL.Path == "/api/retirement" {
		id := r.URL.Query().Get("id")
		fmt.Fprintf(w, `{"id":%q,"status":"COMPLETE","total_quantity":"1000000","type":"WHOLE","project_id":"P%s","vintage_id":"V1","created_at":"2026-01-01T10:00:00.000Z"}`, id, id)
		return
	}
	var projects []string
	for _, id := range r.URL.Query()["project_ids[]"] {
		projects = append(projects, fmt.Sprintf(`{"project_id":%q,"project_name":"Name of %s"}`, id, id))
	}
	fmt.Fprintf(w, `{"projects":[%s]}`, strings.Join(projects, ","))
}

func TestProjectDetailsAreFetchedInBatches(t *testing.T) {
	t.Parallel()
	const lookUps, latency, connections = 1000, 20 * time.Millisecond, 8
	for name, more := range map[string][]string{"table": nil, "json": {"-o", "json"}, "pack": {"--pack", "P"}, "evidence": {"--evidence", "E"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T) {
				d := new(distantProjects)
				w := newWorld(t, d)
				for i, arg := range more {
					if len(arg) == 1 {
						more[i] = filepath.Join(w.env["HOME"], "file."+map[string]string{"P": "zip", "E": "csv"}[arg])
					}
				}
				for n := range lookUps {
					w.stdin += fmt.Sprintf("%017d\n", n)
				}
				started := time.Now()
				got := w.must(append([]string{"retirement", "-"}, more...)...)
				took, batches := time.Since(started), len(d.queries)
				if ideal := latency * lookUps / connections; took > ideal*12/10 {
					t.Errorf("took %v, an ideal client takes %v", took, ideal)
				}
				if batches > lookUps/50 {
					t.Errorf("%d requests for projects", batches)
				}
				for _, query := range d.queries {
					if len(query) > 8000 {
						t.Errorf("a URL has %d bytes", len(query))
					}
				}
				if name == "table" && strings.Count(got, "Name of") != lookUps {
					t.Errorf("%d of %d names printed", strings.Count(got, "Name of"), lookUps)
				}
			})
		})
	}
}
