package cli

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"tonne/ui/cli/command"
)

func TestQuotePrintsTheObjectOfTheContract(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		args       []string
	}{
		{"buying over two sell orders, the small one left out",
			`{"vintage_id":"V1","requested_grams":"1000000000","from_inventory_grams":"0","buy_tonnes":"1000","cost_cents":"623000","average_price_cents":"623","marginal_price_cents":"625","remainder_grams":"0","fills":[{"sell_order_id":"S2","tonnes":"400","price_cents":"620","cost_cents":"248000"},{"sell_order_id":"S3","tonnes":"600","price_cents":"625","cost_cents":"375000"}],"short_tonnes":"0"}`,
			[]string{"--vintage", "V1", "--tonnes", "1000"}},
		{"retiring from inventory alone",
			`{"vintage_id":"V1","requested_grams":"20","from_inventory_grams":"20","buy_tonnes":"0","cost_cents":"0","average_price_cents":null,"marginal_price_cents":null,"remainder_grams":"0","fills":[],"short_tonnes":"0"}`,
			[]string{"--vintage", "V1", "--grams", "20"}},
		{"retiring more than the inventory buys whole tonnes and leaves a remainder",
			`{"vintage_id":"V1","requested_grams":"1000000","from_inventory_grams":"999980","buy_tonnes":"1","cost_cents":"620","average_price_cents":"620","marginal_price_cents":"620","remainder_grams":"999980","fills":[{"sell_order_id":"S2","tonnes":"1","price_cents":"620","cost_cents":"620"}],"short_tonnes":"0"}`,
			[]string{"--vintage", "V1", "--grams", "1000000"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := newWorld(t, new(service)).must(append([]string{"quote", "-o", "json"}, c.args...)...)
			if got != c.want+"\n" {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestQuoteTellsWhatOfItsVintageCouldNotBeRead(t *testing.T) {
	t.Parallel()
	s := new(service)
	w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch page := r.URL.Query().Get("page"); r.URL.Path {
		case "/api/market":
			fmt.Fprint(w, strings.Replace(pageOf(page, marketProjects), `"price_cents":"620"`, `"price_cents":"6.2"`, 1))
		case "/api/inventory":
			fmt.Fprint(w, strings.Replace(pageOf(page, inventoryProjects(false)), `"quantity_grams":"999980"`, `"quantity_grams":"1e6"`, 1))
		default:
			s.ServeHTTP(w, r)
		}
	}))
	orders, wallet := "sell orders of the vintage that cannot be read and are left out: 1.\n", "a wallet of the vintage V1 cannot be read.\n"
	r := w.run("quote", "--vintage", "V1", "--grams", "20")
	if r.status != command.StatusUnreachable || !strings.Contains(r.stderr, wallet) || r.stdout != "" {
		t.Errorf("status %d\n%s%s", r.status, r.stdout, r.stderr)
	}
	if r = w.run("quote", "--vintage", "V1", "--tonnes", "1"); r.status != command.StatusUnreachable || !strings.Contains(r.stderr, orders) || !strings.Contains(r.stdout, "S3") {
		t.Errorf("status %d\n%s%s", r.status, r.stdout, r.stderr)
	}
	if r = w.run("quote", "--vintage", "V2", "--grams", "20"); r.status != 0 || r.stderr != "" {
		t.Errorf("what is wrong with another vintage is told: status %d\n%s", r.status, r.stderr)
	}
}

func TestQuoteTableHasALineForWhatTheBookCouldNotSupply(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service))
	if got := w.run("quote", "--vintage", "V1", "--tonnes", "1500").stdout; !regexp.MustCompile(`(?m)^short by +100 t$`).MatchString(got) {
		t.Errorf("a short quote:\n%s", got)
	}
	if got := w.must("quote", "--vintage", "V1", "--tonnes", "1000"); strings.Contains(got, "short by") {
		t.Errorf("a whole quote:\n%s", got)
	}
}

func TestQuoteOfAnUnknownVintageIsNotFound(t *testing.T) {
	t.Parallel()
	for _, quantity := range []string{"--tonnes", "--grams"} {
		r := newWorld(t, new(service)).run("quote", "--vintage", "V9", quantity, "1")
		if r.status != command.StatusNotFound {
			t.Errorf("%s: status %d", quantity, r.status)
		}
		r.sentences(t)
	}
}

func TestQuoteTakesTheVintageAndTonnesAsArguments(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service))
	want := w.must("quote", "--vintage", "V1", "--tonnes", "1000", "-o", "json")
	for _, args := range [][]string{
		{"V1", "1000"}, {"V1", "1,000"}, {"V1", "--tonnes", "1,000"}, {"--vintage", "V1", "--tonnes", " 1,000 "},
	} {
		if got := w.must(append([]string{"quote", "-o", "json"}, args...)...); got != want {
			t.Errorf("%q: got\n%s\nwant\n%s", args, got, want)
		}
	}
	if got := w.must("quote", "V1", "--grams", "1,000,000", "-o", "json"); !strings.Contains(got, `"requested_grams":"1000000"`) {
		t.Errorf("grams: %s", got)
	}
}

func TestQuoteRefusesArgumentsThatContradict(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"V1", "500", "--vintage", "V2"}, {"V1", "500", "--tonnes", "6"}, {"V1", "500", "--grams", "6"}, {"V1", "500", "6"}, {"V1", "1,00"}, {"V1", "1,000.5"},
	} {
		r := newWorld(t, new(service)).run(append([]string{"quote"}, args...)...)
		if r.status != command.StatusUsage {
			t.Errorf("%q: status %d", args, r.status)
		}
		r.sentences(t)
	}
}

func TestAQuantityThatIsTooLargeIsToldAsOne(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--tonnes", "99999999999999999999"}, {"--tonnes", "9223372036855"}, {"--grams", "9223372036854775808"},
	} {
		r := newWorld(t, new(service)).run(append([]string{"quote", "--vintage", "V1"}, args...)...)
		what, todo := r.sentences(t)
		if r.status != command.StatusUsage || !strings.Contains(what, "too large") || strings.Contains(r.stderr, "key") || !strings.Contains(todo, "9,223,372,036,854") {
			t.Errorf("%q: status %d: %s", args, r.status, r.stderr)
		}
	}
}

func TestQuoteNeedsAVintageAndOneQuantity(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{}, {"--vintage", "V1"}, {"--tonnes", "1"}, {"--vintage", "V1", "--tonnes", "1", "--grams", "1"},
		{"--vintage", "V1", "--tonnes", "0"}, {"--vintage", "V1", "--tonnes", "1.5"}, {"--vintage", "V1", "--grams", "-1"},
		{"--vintage", "V1", "--tonnes", "9223372036855"}, {"--vintage", "V1", "--grams", "1e6"},
	} {
		r := newWorld(t, new(service)).run(append([]string{"quote"}, args...)...)
		if r.status != command.StatusUsage {
			t.Errorf("%v: status %d", args, r.status)
		}
		r.sentences(t)
	}
}

func TestProjectThatTheServiceDoesNotKnowIsNotFound(t *testing.T) {
	t.Parallel()
	r := newWorld(t, new(service)).run("project", "P9", "P1", "-o", "json")
	if r.status != command.StatusNotFound || !strings.Contains(r.stdout, `"P1"`) {
		t.Errorf("status %d\n%s", r.status, r.stdout)
	}
	if what, _ := r.sentences(t); !strings.Contains(what, "P9") {
		t.Errorf("%s", what)
	}
}

func TestATableOfAQuoteNamesTheVintageAndWhatWasLastPaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service))
	got := w.must("quote", "V1", "1000")
	if !regexp.MustCompile(`(?m)\Avintage +=Bale "Mountains", ET 2019\nlast paid +\$5\.95 per tonne on 2026-03-01 UTC\n\nSELL ORDER`).MatchString(got) {
		t.Errorf("the quote begins so:\n%s", got)
	}
}

func TestAQuoteStandsWithoutWhatWasLastPaid(t *testing.T) {
	t.Parallel()
	s := new(service)
	w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/inventory" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		s.ServeHTTP(w, r)
	}))
	r := w.run("quote", "V1", "1000")
	if r.status != 0 || !strings.Contains(r.stdout, "$6,230.00") || !strings.Contains(r.stderr, "what was last paid is not known") {
		t.Errorf("status %d\n%s%s", r.status, r.stdout, r.stderr)
	}
}
