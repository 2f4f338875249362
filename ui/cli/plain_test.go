package cli

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"tonne/api/apitest"
	"tonne/ui/cli/command"
	"tonne/ui/cli/dashboard"
)

// checkPlain checks that every line is "Name: value" and has no drawing characters.
func checkPlain(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line != "" && !regexp.MustCompile(`^[A-Z][a-z -]+: \S`).MatchString(line) {
			t.Errorf("not a line of name and value: %q", line)
		}
		if strings.ContainsFunc(line, func(r rune) bool { return unicode.IsControl(r) || r != '−' && r >= 0x2190 && r < 0x2800 }) {
			t.Errorf("drawing character in %q", line)
		}
	}
}

// checkLines checks that a text contains each line.
func checkLines(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, line := range want {
		if !strings.Contains("\n"+text, "\n"+line+"\n") {
			t.Errorf("lacks the line %q:\n%s", line, text)
		}
	}
}

func TestPlainPrintsOneFactPerLine(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service))
	got := w.must("--plain")
	checkPlain(t, got)
	checkLines(t, got, `Project: =Bale "Mountains", ET`, "Year: 2019", "Vintage id: V1", "Country: ET", "Best ask per tonne: $6.20", "Last paid per tonne: $5.95", "Best ask against last paid: +4.2%", "Available: 1,400.999999 t", "Sell orders: 3")
	got = w.must("--plain", "--tab", "inventory")
	checkPlain(t, got)
	checkLines(t, got, "Wallet: CAAS", "Balance: 0.999980 t", "Best ask per tonne: $6.20", "Value at the best ask: $6.20", "Cost of the balance: $6.33", "Trades: 2", "Project: TOTAL")
	w.must("retirement", "R1")
	got = w.must("--plain", "--tab", "retirements")
	checkPlain(t, got)
	checkLines(t, got, "Id: R1", "Status: COMPLETE", "Quantity: 2 t")
}

func TestAccessibleVariableSelectsPlain(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"1", "yes", "0"} {
		w := newWorld(t, new(service))
		w.env["ACCESSIBLE"] = value
		checkPlain(t, w.must())
		checkLines(t, w.must("--tab", "inventory"), "Wallet: CAAS")
	}
}

func TestPlainPrintsDemo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).unconfigured()
	for tab, want := range map[string]string{"market": "Best ask per tonne: $", "inventory": "Balance: ", "retirements": "Status: COMPLETE"} {
		r := w.run("demo", "--plain", "--tab", tab)
		checkPlain(t, r.stdout)
		if r.status != 0 || !strings.Contains(r.stdout, want) || !strings.Contains(r.stderr, "synthetic data") {
			t.Errorf("%s:\n%s%s", tab, r.stdout, r.stderr)
		}
	}
}

func TestUnknownTabIsUsageError(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--plain", "--tab", "orders"}, {"--tab", "inventory"}, {"demo", "--plain", "--tab", "orders"}} {
		r := newWorld(t, new(service)).run(args...)
		if r.status != command.StatusUsage {
			t.Errorf("%v: status %d", args, r.status)
		}
		r.sentences(t)
	}
}

func TestPlainFailsLikeDataCommands(t *testing.T) {
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
	if r := w.run(); r.status != 2 || !strings.Contains(r.stderr, "tonne demo`") {
		t.Errorf("status %d: %s", r.status, r.stderr)
	}
}

func TestDumbTerminalPrintsMarketTable(t *testing.T) {
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
	if r.status != 0 || strings.Count(r.stderr, "this is PRODUCTION (profile prod)") != 1 {
		t.Errorf("status %d:\n%s%s", r.status, r.stdout, r.stderr)
	}
}
