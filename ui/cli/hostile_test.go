package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tonne/api/apitest"
	must "tonne/model/musttest"
	"tonne/ui/cli/dashboard"
)

// hostileTexts could take over a terminal, or make a spreadsheet run a formula.
var hostileTexts = []string{
	"\x1b]", "\x1b[2J", "\u009b2J", "\u009d0;x\a", "a\rb", "a\bb", "\x1b]8;;https://evil.example\x1b\\x\x1b]8;;\x1b\\",
	"\x1b]52;c;eA==\a",
	"a\u202eb", "a\u2066b", "a\u200bb", "a\nb", "a\tb", "a" + strings.Repeat("\u0301", 500), "a\x7fb", "a\U000e0041b",
}

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
	text := strings.Join(hostileTexts, " 名前 ")
	w := newWorld(t, hostileService(text))
	for _, args := range []string{"market", "inventory", "inventory --trades", "retirement ID", "retirement bad",
		"project", "retirement badID"} {
		for _, format := range []string{"table", "json", "jsonl", "csv"} {
			words := append(strings.Fields(args), "-o", format)
			for i, word := range words {
				words[i] = strings.ReplaceAll(word, "ID", "R"+text)
			}
			// run checks that the output has no control characters.
			if r := w.run(words...); strings.Contains(r.stderr, "another request") {
				t.Errorf("the requested id counts as another request: %s", r.stderr)
			} else if r.status == 0 && !strings.Contains(r.stdout, "名前") {
				t.Errorf("%s -o %s lacks the wide characters: %s", args, format, r.stdout)
			}
		}
	}
	must.Succeed(t, w.memory().Of(baseURL).Ledger.Remember(t.Context(), time.Now(), "R"+text))
	for _, tab := range dashboard.TabNames() {
		w.must("--plain", "--tab", tab)
	}
	r := w.run("attributes", "import",
		w.write("a\x1b[2J.csv", "scope,id,attribute,value,source,checked\nvintage,V1,ccp,yes,https://a.example,2020-01-01\n"))
	must.Equal(t, r.status, 0, r.stderr)
}

func TestHostileTextIsEscapedInErrors(t *testing.T) {
	t.Parallel()
	text := strings.Join(hostileTexts, " ")
	quoted, _ := json.Marshal(text)
	for _, status := range []int{401, 403, 422, 302} {
		inBubble(t, func(t *testing.T) {
			w := newWorld(t,
				apitest.Status(status, fmt.Sprintf(`{"statusCode":%d,"message":%s,"error":%s}`, status, quoted, quoted)))
			w.run("market").sentences(t)
		})
	}
	for _, text := range hostileTexts {
		newWorld(t, new(service)).run("market", "--base-url", "https://"+text, "--profile", text)
	}
}

func TestCSVCellsAreNeverFormulas(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"=1+1", "+1", "-1", "@SUM(A1)"} {
		w := newWorld(t, hostileService(text))
		for _, args := range []string{"market", "inventory", "inventory --trades", "retirement R" + text, "project"} {
			for line := range strings.Lines(w.must(append(strings.Fields(args), "-o", "csv")...)) {
				for cell := range strings.SplitSeq(line, ",") {
					cell = strings.TrimPrefix(cell, `"`)
					must.Hold(t, cell == "" || !strings.ContainsRune("=+-@", rune(cell[0])),
						args, cell, "is a formula in", line)
				}
			}
		}
	}
}
