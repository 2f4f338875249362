package cli

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tonne/ui/cli/command"
)

func TestWatchIgnoresIncompleteListing(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s, polls := new(service), 0
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		r := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/api/market" {
				s.ServeHTTP(w, r)
				return
			}
			if polls++; polls > 2 {
				fmt.Fprint(w, strings.ReplaceAll(pageOf("1", marketProjects), `"total_pages":2`, `"total_pages":1`))
				return
			}
			s.ServeHTTP(w, r)
		})).runContext(ctx, "market", "--watch", "-o", "jsonl")
		if polls < 4 || r.stdout != "" || !strings.Contains(r.stderr, "1 of 2 projects") {
			t.Errorf("%d polls\n%s%s", polls, r.stdout, r.stderr)
		}
	})
}

func TestRetireNeedsCompleteMarketAndInventory(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ path, from, to, message string }{
		"incomplete market":    {"/api/market", `"total_items":1,`, `"total_items":17,`, "the market is incomplete: 1 of 17 projects"},
		"incomplete inventory": {"/api/inventory", `"total_items":0,`, `"total_items":3,`, "the inventory is incomplete: 0 of 3 projects"},
		"invalid price":        {"/api/market", `"price_cents":"620"`, `"price_cents":"6.2"`, "a sell order of the vintage cannot be read, so nothing can be planned with it: 004bale21"},
		"invalid quantity":     {"/api/market", `"quantity_grams":"40000000"`, `"quantity_grams":"4e7"`, "a sell order of the vintage cannot be read, so nothing can be planned with it: 004bale21"},
	} {
		for _, args := range []string{"", " --dry-run"} {
			r := newRetirer(t)
			r.before = func(w http.ResponseWriter, req *http.Request) bool {
				if req.URL.Path != c.path {
					return false
				}
				body := &bodyRecorder{ResponseWriter: w}
				r.service.Handler().ServeHTTP(body, req)
				text := strings.ReplaceAll(body.text.String(), c.from, c.to)
				if text == body.text.String() {
					t.Errorf("%s: %s is not in the response %s", name, c.from, text)
				}
				w.Header().Del("Content-Length")
				w.Header().Del("ETag")
				_, _ = w.Write([]byte(text))
				return true
			}
			got := r.retire(strings.Fields("--vintage 004bale21 --tonnes 1" + args)...)
			if got.status != command.StatusUnreachable || !strings.Contains(strings.ToLower(got.stderr), c.message) || !strings.Contains(got.stderr, "nothing was sent") || r.sent.Load() != 0 {
				t.Errorf("%s: status %d, %d sent\n%s%s", name, got.status, r.sent.Load(), got.stdout, got.stderr)
			}
		}
	}
}

// bodyRecorder records the body of a response.
type bodyRecorder struct {
	http.ResponseWriter
	text strings.Builder
}

func (r *bodyRecorder) Write(b []byte) (int, error) { return r.text.Write(b) }
