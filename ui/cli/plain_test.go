package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"tonne/api/apitest"
	"tonne/ui/cli/command"
	"tonne/ui/cli/dashboard"
)

// linear checks that every line is a fact, and that nothing is drawn.
func linear(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line != "" && !regexp.MustCompile(`^[A-Z][a-z -]+: \S`).MatchString(line) {
			t.Errorf("not a fact: %q", line)
		}
		if strings.ContainsFunc(line, func(r rune) bool { return unicode.IsControl(r) || r >= 0x2190 && r < 0x2800 }) {
			t.Errorf("something is drawn: %q", line)
		}
	}
}

// has checks that a text has each line.
func has(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, line := range want {
		if !strings.Contains("\n"+text, "\n"+line+"\n") {
			t.Errorf("lacks the line %q:\n%s", line, text)
		}
	}
}

func TestPlainPrintsTheMarketAFactALine(t *testing.T) {
	t.Parallel()
	got := newWorld(t, new(service)).must("--plain")
	linear(t, got)
	has(t, got, "Market of: "+baseURL, "Vintages: 3", `Project: =Bale "Mountains", ET`, "Vintage: 2019", "Vintage id: V1",
		"Best ask: $6.20 per tonne", "Last paid: $5.95 per tonne", "Best ask against last paid: 4.2% dearer", "Available: 1,400.999999 t", "Sell orders: 3",
		"Best ask: none")
}

func TestPlainPrintsTheInventoryWithWhatReplacingItWouldCost(t *testing.T) {
	t.Parallel()
	got := newWorld(t, new(service)).must("--plain", "--tab", "inventory")
	linear(t, got)
	has(t, got, "Inventory of: "+baseURL, "Wallets: 2", "Wallet: CAAS", "Balance: 0.999980 t", "Average cost: $6.33 per tonne",
		"Replacing it at the best ask would cost: $6.20", "Cost of the balance: $6.33", "Trades: 2")
	if strings.Contains(strings.ToLower(got), "gain") || strings.Contains(got, "nrealised") {
		t.Errorf("nothing can be sold here, so that there is no gain:\n%s", got)
	}
}

func TestPlainPrintsTheLedgerOfThisMachine(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service))
	got := w.must("--plain", "--tab", "retirements")
	linear(t, got)
	has(t, got, "Requests: 0")
	memory := w.memory()
	if err := memory.Remember(t.Context(), baseURL, time.Now(), "R1", "R9"); err != nil {
		t.Fatal(err)
	}
	if err := memory.SetLabel(t.Context(), baseURL, "R1", "Q3", time.Now()); err != nil {
		t.Fatal(err)
	}
	got = w.must("--plain", "--tab", "retirements")
	linear(t, got)
	has(t, got, "Requests: 2", "Request: R1", "Label: Q3", "Status: COMPLETE", "Quantity: 2 t", "Vintage: 2019",
		"Serial number: 19334-1-2-VCS-VCU-576-VER-ET-14-1340-01012019-31122019-1", "Certificate: https://certificates.example/R1.pdf",
		"Request: R9", "The look-up failed: There is no such request (NOT_FOUND)")
}

func TestAccessibleIsPlainWhateverItsValue(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"1", "yes", "0"} {
		w := newWorld(t, new(service))
		w.env["ACCESSIBLE"] = value
		linear(t, w.must())
		has(t, w.must("--tab", "inventory"), "Wallets: 2")
	}
}

func TestPlainPrintsTheDemoAndLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).unconfigured()
	for tab, want := range map[string]string{"market": "Best ask: $", "inventory": "Balance: ", "retirements": "Status: COMPLETE"} {
		got := w.must("demo", "--plain", "--tab", tab)
		linear(t, got)
		if !strings.Contains(got, want) || !strings.Contains(got, "synthetic data") {
			t.Errorf("%s:\n%s", tab, got)
		}
	}
}

func TestATabThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--plain", "--tab", "orders"}, {"--tab", "inventory"}, {"demo", "--plain", "--tab", "orders"}} {
		r := newWorld(t, new(service)).run(args...)
		if r.status != command.StatusUsage {
			t.Errorf("%v: status %d", args, r.status)
		}
		r.sentences(t)
	}
}

func TestPlainFailsAsTheDataCommandsDo(t *testing.T) {
	t.Parallel()
	for _, tab := range dashboard.TabNames[:2] {
		r := newWorld(t, apitest.Status(401, "{}")).run("--plain", "--tab", tab)
		if r.status != 3 || r.stdout != "" {
			t.Errorf("%s: status %d, %s", tab, r.status, r.stdout)
		}
		r.sentences(t)
	}
	w := newWorld(t, nil).unconfigured()
	w.env["ACCESSIBLE"] = "1"
	if r := w.run(); r.status != 2 || !strings.Contains(r.stderr, "tonne demo --plain") {
		t.Errorf("status %d: %s", r.status, r.stderr)
	}
}

func TestADumbTerminalGetsTheMarketAsATableAndASentence(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service))
	w.env["TERM"] = "dumb"
	r := w.run()
	if r.status != 0 || !strings.HasPrefix(r.stdout, "PROJECT") || !strings.Contains(r.stdout, "$6.20") ||
		!strings.Contains(r.stderr, "TERM is dumb") || !strings.Contains(r.stderr, "`tonne --plain") || strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("status %d:\n%s%s", r.status, r.stdout, r.stderr)
	}
}

func TestPlainNamesProductionOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service))
	w.configure(strings.ReplaceAll(twoProfiles, "https://prod.example:8443/path/", baseURL))
	r := w.run("--plain", "--profile", "prod")
	if r.status != 0 || !strings.Contains(r.stdout, "which is PRODUCTION (profile prod)") || strings.Contains(r.stderr, "PRODUCTION (") {
		t.Errorf("status %d:\n%s%s", r.status, r.stdout, r.stderr)
	}
}

func TestPlainNamesTheChecksThatFail(t *testing.T) {
	t.Parallel()
	s := new(service)
	w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		s.ServeHTTP(answer, r)
		w.WriteHeader(answer.Code)
		_, _ = io.WriteString(w, strings.Replace(answer.Body.String(), `"retiree_tax_id":"T2"`, `"retiree_tax_id":""`, 1))
	}))
	if err := w.memory().Remember(t.Context(), baseURL, time.Now(), "R1"); err != nil {
		t.Fatal(err)
	}
	got := w.must("--plain", "--tab", "retirements")
	linear(t, got)
	if !strings.Contains(got, ", 1 fail\nCheck that fails: beneficiary present: 1 of 2 items") {
		t.Errorf("no reason for the check that fails:\n%s", got)
	}
}

func TestPlainSaysOfARequestWhatItsEvidenceSays(t *testing.T) {
	t.Parallel()
	w, _ := withCertificates(t)
	dir := filepath.Join(w.env["HOME"], "certificates")
	w.must("retirement", "C2", "C3", "T1", "T2", "--certificates", dir)
	w.write("certificates/C2.pdf", anyPDF+" that somebody altered")
	if err := os.Remove(filepath.Join(dir, "C3.pdf")); err != nil {
		t.Fatal(err)
	}
	got := w.must("--plain", "--tab", "retirements")
	linear(t, got)
	requests := strings.Split(got, "\n\n")[1:]
	for id, want := range map[string]string{
		"C2": "certificate on file: the file saved at ", "C3": "certificate on file: the file saved at ", "T2": "serials retired once: ACR 2 to 2 also retired by T1",
	} {
		i := slices.IndexFunc(requests, func(r string) bool { return strings.HasPrefix(r, "Request: "+id+"\n") })
		if i < 0 || !strings.Contains(requests[i], "Check that fails: "+want) {
			t.Errorf("%s is not said to fail %q:\n%s", id, want, got)
		}
	}
}
