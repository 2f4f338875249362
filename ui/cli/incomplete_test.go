package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tonne/ui/cli/command"
)

// listing17 answers as the service does, with pages of 17 projects of which the
// last is the second.
func listing17(change ...string) http.Handler {
	s := new(service)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		changed := strings.NewReplacer(append(change, `"total_items":2`, `"total_items":17`)...)
		switch page := r.URL.Query().Get("page"); r.URL.Path {
		case "/api/market":
			fmt.Fprint(w, changed.Replace(pageOf(page, marketProjects)))
		case "/api/inventory":
			fmt.Fprint(w, changed.Replace(pageOf(page, inventoryProjects(true))))
		default:
			s.ServeHTTP(w, r)
		}
	})
}

func TestAnIncompleteListingIsPrintedAndSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	for _, typed := range []string{"market", "inventory", "inventory --trades", "--plain", "--plain --tab inventory"} {
		formats := []string{"-o json", "-o jsonl", "-o csv", ""}
		if strings.HasPrefix(typed, "--plain") {
			formats = []string{""}
		}
		for _, format := range formats {
			args := strings.Fields(typed + " " + format)
			r := newWorld(t, listing17()).run(args...)
			if r.status != command.StatusUnreachable || !strings.Contains(r.stderr, "2 of 17 projects") || !strings.Contains(r.stdout, "V1") {
				t.Errorf("%v: status %d\n%s%s", args, r.status, r.stdout, r.stderr)
			}
			if says := strings.Contains(r.stdout, "Incomplete: ") && strings.Contains(r.stdout, "2 of 17 projects"); strings.HasPrefix(typed, "--plain") != says {
				t.Errorf("%v:\n%s", args, r.stdout)
			}
			if strings.Contains(format, "json") {
				if f := r.object(t); f.Code != "incomplete" || !f.Retryable {
					t.Errorf("%v: %+v", args, f)
				}
			}
		}
	}
}

func TestADocumentSaysWhetherItIsComplete(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		handler  http.Handler
		args     string
		complete bool
		total    int
		status   int
	}{
		"a whole listing":       {new(service), "", true, 2, 0},
		"one that ends early":   {listing17(), "", false, 17, command.StatusUnreachable},
		"a page that was asked": {listing17(), " --page 1", true, 17, 0},
	} {
		for _, typed := range []string{"market", "inventory"} {
			r := newWorld(t, c.handler).run(strings.Fields(typed + " -o json" + c.args)...)
			var got struct {
				Complete *bool `json:"complete"`
				Total    int   `json:"total_projects"`
			}
			if err := json.Unmarshal([]byte(r.stdout), &got); err != nil || got.Complete == nil || *got.Complete != c.complete || got.Total != c.total || r.status != c.status {
				t.Errorf("%s, %s: status %d, %v\n%s%s", typed, name, r.status, err, r.stdout, r.stderr)
			}
		}
	}
}

func TestWhatCannotBeReadIsUnknownAndNeverZero(t *testing.T) {
	t.Parallel()
	const total = `"total_items":17`
	w := newWorld(t, listing17(`"total_items":2`, `"total_items":2`, `"quantity_grams":"400000000"`, `"quantity_grams":"4e8"`, `"quantity_grams":"999980"`, `"quantity_grams":"x"`))
	got := w.must("market", "-o", "json")
	if !strings.Contains(got, `"vintage_id":"V1","vintage_year":2019,"best_ask_cents":"625","available_grams":null`) || strings.Contains(got, total) {
		t.Errorf("market:\n%s", got)
	}
	got = w.must("inventory")
	last := got[strings.LastIndex(strings.TrimSpace(got), "\n")+1:]
	if !strings.Contains(last, "TOTAL") || !strings.Contains(last, "? t") || strings.Contains(last, "$") {
		t.Errorf("inventory:\n%s", got)
	}
}

func TestAListingOfWhichNothingCanBeReadFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ typed, from, to, says string }{
		"prices of the market":         {"market", `"price_cents":"`, `"price_cents":"-`, "no price or no quantity of the market can be read"},
		"quantities of the market":     {"market", `"quantity_grams":"`, `"quantity_grams":"-`, "no price or no quantity of the market can be read"},
		"prices of the inventory":      {"inventory", `"price_cents":"`, `"price_cents":"-`, "no price or no quantity of the inventory can be read"},
		"quantities of the inventory":  {"inventory", `"quantity_grams":"`, `"quantity_grams":"-`, "no price or no quantity of the inventory can be read"},
		"prices of a market as lines":  {"--plain", `"price_cents":"`, `"price_cents":"-`, "no price or no quantity of the market can be read"},
		"balances of wallets as lines": {"--plain --tab inventory", `"quantity_grams":"`, `"quantity_grams":"-`, "no price or no quantity of the inventory can be read"},
	} {
		r := newWorld(t, listing17(`"total_items":2`, `"total_items":2`, c.from, c.to)).run(strings.Fields(c.typed)...)
		if r.status != command.StatusUnreachable || !strings.Contains(strings.ToLower(r.stderr), c.says) || !strings.Contains(r.stdout, "V1") {
			t.Errorf("%s: status %d\n%s%s", name, r.status, r.stdout, r.stderr)
		}
	}
}

func TestAQuoteNamesWhatItCouldNotSee(t *testing.T) {
	t.Parallel()
	for args, printed := range map[string]bool{
		"quote --vintage V1 --tonnes 1": true, "quote --vintage V1 --tonnes 9999": true,
		"quote --vintage V9 --tonnes 1": false, "quote --vintage V9 --grams 1": false,
		"basket --tonnes 1": true, "basket --tonnes 99999999": true, "basket --tonnes 1 --filter type:nothing": true,
	} {
		r := newWorld(t, listing17()).run(append(strings.Fields(args), "-o", "json")...)
		if r.status != command.StatusUnreachable || !strings.Contains(r.stderr, "2 of 17 projects") || (r.stdout != "") != printed || strings.Contains(r.stdout+r.stderr, "for sale") {
			t.Errorf("%s: status %d\n%s%s", args, r.status, r.stdout, r.stderr)
		}
	}
}

func TestWatchTakesAListingThatEndsEarlyForNoChange(t *testing.T) {
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

func TestNothingIsRetiredUnlessTheOrdersOfTheVintageWereRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ path, from, to, says string }{
		"a market that ends early":     {"/api/market", `"total_items":1,`, `"total_items":17,`, "the market is incomplete: 1 of 17 projects"},
		"an inventory that ends early": {"/api/inventory", `"total_items":0,`, `"total_items":3,`, "the inventory is incomplete: 0 of 3 projects"},
		"an order without a price":     {"/api/market", `"price_cents":"620"`, `"price_cents":"6.2"`, "a sell order of the vintage cannot be read, so nothing can be planned with it: 004bale21"},
		"an order without a quantity":  {"/api/market", `"quantity_grams":"40000000"`, `"quantity_grams":"4e7"`, "a sell order of the vintage cannot be read, so nothing can be planned with it: 004bale21"},
	} {
		for _, args := range []string{"", " --dry-run"} {
			r := newRetirer(t)
			r.before = func(w http.ResponseWriter, req *http.Request) bool {
				if req.URL.Path != c.path {
					return false
				}
				body := &recorded{ResponseWriter: w}
				r.service.Handler().ServeHTTP(body, req)
				text := strings.ReplaceAll(body.text.String(), c.from, c.to)
				if text == body.text.String() {
					t.Errorf("%s: %s is not in %s", name, c.from, text)
				}
				w.Header().Del("Content-Length")
				w.Header().Del("ETag")
				_, _ = w.Write([]byte(text))
				return true
			}
			got := r.retire(strings.Fields("--vintage 004bale21 --tonnes 1" + args)...)
			if got.status != command.StatusUnreachable || !strings.Contains(strings.ToLower(got.stderr), c.says) || !strings.Contains(got.stderr, "nothing was sent") || r.sent.Load() != 0 {
				t.Errorf("%s: status %d, %d sent\n%s%s", name, got.status, r.sent.Load(), got.stdout, got.stderr)
			}
		}
	}
}

// recorded keeps the body of an answer.
type recorded struct {
	http.ResponseWriter
	text strings.Builder
}

func (r *recorded) Write(b []byte) (int, error) { return r.text.Write(b) }
