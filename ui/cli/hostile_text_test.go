package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"tonne/api/apitest"
	"tonne/ui/cli/dashboard"
)

// hostile are texts that could take over a terminal.
var hostile = map[string]string{
	"lone OSC": "\x1b]", "clear screen": "\x1b[2J", "C1 CSI": "\u009b2J", "C1 OSC": "\u009d0;x\a", "carriage return": "a\rb", "backspace": "a\bb",
	"hyperlink": "\x1b]8;;https://evil.example\x1b\\x\x1b]8;;\x1b\\", "clipboard": "\x1b]52;c;eA==\a", "override": "a\u202eb", "isolate": "a\u2066b",
	"zero width": "a\u200bb", "newline": "a\nb", "tab": "a\tb", "marks": "a" + strings.Repeat("\u0301", 500), "delete": "a\x7fb", "tag": "a\U000e0041b",
}

var hostileTexts = slices.Sorted(maps.Values(hostile))

// hostileService sends the text in every string field.
func hostileService(text string) http.Handler {
	quoted, _ := json.Marshal(text)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fill := func(body string) { fmt.Fprint(w, strings.ReplaceAll(body, "%", string(quoted[1:len(quoted)-1]))) }
		const pagination = `"pagination":{"per_page":20,"total_pages":1,"total_items":1,"current_page":1,"previous_page":null,"next_page":null}`
		switch r.URL.Path {
		case "/api/market":
			fill(`{"projects":[{"project_id":"P%","vintages":[{"vintage_id":"V%","vintage_year":2019,"sell_orders":[{"sell_order_id":"S%","quantity_grams":"1000000","price_cents":"1"}]}]}],` + pagination + `}`)
		case "/api/inventory":
			fill(`{"projects":[{"project_id":"P%","vintages":[{"vintage_id":"V%","wallets":[{"type":"%","quantity_grams":"1","trades":[{"execution_date":"%","quantity_grams":"1","price_cents":"1","type":"%"}]}]}]}],` + pagination + `}`)
		case "/api/projects":
			fill(`{"projects":[{"project_id":"P%","project_name":"%","type":"%","location":"%","registry_id":"%","registry_name":"%","registry_project_url":"%","sdgs":["%"],"description":"%","vintages":[{"vintage_id":"V%","vintage_year":2019,"registry_vintage_url":"%"}]}]}`)
		case "/api/retirement":
			if strings.HasPrefix(r.URL.Query().Get("id"), "bad") {
				w.WriteHeader(422)
				fill(`{"statusCode":422,"error":"%","message":"%"}`)
				return
			}
			fill(`{"id":"R%","status":"%","total_quantity":"1","type":"%","project_id":"P%","vintage_id":"V%","created_at":"%","retired_at":"%","retired_serial_numbers":["%"],"x_proof_of_retirement_certificate_url":"%","should_retire_external_customer":true,"all_invoices_settled":true,"unknown":"%",
				"retirement_request_items":[{"id":"%","quantity":"1","created_at":"%","retiree_name":"%","retiree_tax_id":"%","retiree_country":"%","invoice_id":"%","trade_id":"%"}]}`)
		}
	})
}

func TestHostileTextIsEscapedInEveryFormat(t *testing.T) {
	t.Parallel()
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, hostileService(text))
			for _, args := range [][]string{
				{"market"}, {"inventory"}, {"inventory", "--trades"}, {"retirement", "R" + text}, {"retirement", "bad"}, {"project"},
				{"retirement", "bad" + text},
			} {
				for _, format := range []string{"table", "json", "jsonl", "csv"} {
					r := w.run(append(args, "-o", format)...)
					if strings.Contains(r.stderr, "another request") {
						t.Errorf("the requested id counts as another request: %s", r.stderr)
					}
					checkHarmless(t, strings.Join(args, " ")+" -o "+format, r.stdout)
					checkHarmless(t, strings.Join(args, " ")+" -o "+format+" on standard error", r.stderr)
				}
			}
			if err := w.memory().Of(baseURL).Ledger.Remember(t.Context(), time.Now(), "R"+text); err != nil {
				t.Fatal(err)
			}
			for _, tab := range dashboard.TabNames {
				r := w.run("--plain", "--tab", tab)
				checkHarmless(t, "--plain --tab "+tab, r.stdout+r.stderr)
			}
		})
	}
}

// checkHarmless checks that a text has no control or invisible characters.
func checkHarmless(t *testing.T, where, text string) {
	t.Helper()
	for _, r := range text {
		if r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u200b' || r >= 0xe0000 && r < 0xe0080 {
			t.Errorf("%s: %U in %q", where, r, text)
			return
		}
	}
}

func TestHostileTextIsEscapedInErrors(t *testing.T) {
	t.Parallel()
	for name, text := range hostile {
		quoted, _ := json.Marshal(text)
		for _, status := range []int{401, 403, 422, 302} {
			inBubble(t, func(t *testing.T) {
				r := newWorld(t, apitest.Status(status, fmt.Sprintf(`{"statusCode":%d,"message":%s,"error":%s}`, status, quoted, quoted))).run("market")
				checkHarmless(t, name, r.stderr)
				r.sentences(t)
			})
		}
	}
	for _, text := range hostile {
		r := newWorld(t, new(service)).run("market", "--base-url", "https://"+text, "--profile", text)
		checkHarmless(t, "an argument", r.stderr)
	}
}

func TestCSVCellsAreNeverFormulas(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"=1+1", "+1", "-1", "@SUM(A1)", "=HYPERLINK(\"x\")"} {
		w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			hostileService(text).ServeHTTP(w, r)
		}))
		for _, args := range [][]string{{"market"}, {"inventory"}, {"inventory", "--trades"}, {"retirement", "R" + text}, {"project"}} {
			for line := range strings.Lines(w.must(append(args, "-o", "csv")...)) {
				for cell := range strings.SplitSeq(line, ",") {
					if cell = strings.TrimPrefix(cell, `"`); cell != "" && strings.ContainsRune("=+-@", rune(cell[0])) {
						t.Errorf("%v: %q is a formula in %q", args, cell, line)
					}
				}
			}
		}
	}
}

func TestWideScriptsArePrinted(t *testing.T) {
	t.Parallel()
	got := newWorld(t, hostileService("名前の長い事業")).must("market")
	if !strings.Contains(got, "名前の長い事業") {
		t.Errorf("the name is missing: %s", got)
	}
}
