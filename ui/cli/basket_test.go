package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"tonne/ui/cli/command"
)

func TestBasketPrintsTheObjectOfTheContract(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		args       []string
	}{
		{"tonnes over two projects",
			`{"tonnes":"1000","cost_cents":"419000","average_price_cents":"419","short_tonnes":"0","lines":[{"project_id":"P1","vintage_id":"V1","sell_order_id":"S2","tonnes":"400","price_cents":"620","cost_cents":"248000"},{"project_id":"P1","vintage_id":"V1","sell_order_id":"S3","tonnes":"200","price_cents":"625","cost_cents":"125000"},{"project_id":"P2","vintage_id":"V2","sell_order_id":"S4","tonnes":"400","price_cents":"115","cost_cents":"46000"}],"limits":[{"limit":"floor type:REDD+=60%","binds":true,"costs_cents":"304000"}]}`,
			[]string{"--tonnes", "1000", "--floor", "type:REDD+=60%"}},
		{"what a budget pays for",
			`{"tonnes":"8","cost_cents":"920","average_price_cents":"115","short_tonnes":"0","lines":[{"project_id":"P2","vintage_id":"V2","sell_order_id":"S4","tonnes":"8","price_cents":"115","cost_cents":"920"}],"limits":[]}`,
			[]string{"--budget", "1000"}},
		{"a limit that costs tonnes",
			`{"tonnes":"2","cost_cents":"735","average_price_cents":"368","short_tonnes":"0","lines":[{"project_id":"P1","vintage_id":"V1","sell_order_id":"S2","tonnes":"1","price_cents":"620","cost_cents":"620"},{"project_id":"P2","vintage_id":"V2","sell_order_id":"S4","tonnes":"1","price_cents":"115","cost_cents":"115"}],"limits":[{"limit":"cap project=50%","binds":true,"costs_cents":null,"fills_tonnes":"6"}]}`,
			[]string{"--budget", "1000", "--cap", "project=50%"}},
		{"limits that do nothing",
			`{"tonnes":"1","cost_cents":"620","average_price_cents":"620","short_tonnes":"0","lines":[{"project_id":"P1","vintage_id":"V1","sell_order_id":"S2","tonnes":"1","price_cents":"620","cost_cents":"620"}],"limits":[{"limit":"max-price 700","binds":false,"costs_cents":"0"},{"limit":"cap country=100%","binds":false,"costs_cents":"0"}]}`,
			[]string{"--tonnes", "1", "--filter", "country:ET", "--max-price", "700", "--cap", "country=100%"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := newWorld(t, new(service)).must(append([]string{"basket", "-o", "json"}, c.args...)...)
			if got != c.want+"\n" {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestBasketCSVHasARowPerSellOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service))
	got := w.must("basket", "--tonnes", "2", "--filter", "bale", "-o", "csv")
	want := `project_id,project_name,vintage_id,vintage_year,sell_order_id,tonnes,price_cents,cost_cents,last_paid_price_cents
P1,"'=Bale ""Mountains"", ET",V1,2019,S2,2,620,1240,595
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	header, _, _ := strings.Cut(want, "\n")
	sameFields(t, w.must("basket", "--tonnes", "1000", "--filter", "bale", "-o", "jsonl"), header, 2)
}

func TestBasketTableSumsUpAndTellsOfItsLimits(t *testing.T) {
	t.Parallel()
	got := newWorld(t, new(service)).must("basket", "--tonnes", "1000", "--cap", "project=60%")
	for _, line := range []string{
		`(?m)^PROJECT +TYPE +CC +YEAR +TONNES +PRICE/t +COST +SHARE +VS PAID +SELL ORDER +VINTAGE ID$`,
		`(?m)^P2 .* 600 t +\$1\.15 +\$690\.00 +60\.0% +- +S4 `, `(?m)^=Bale.* REDD\+ +ET +2019 +400 t +\$6\.20 +\$2,480\.00 +40\.0% +\+4\.2% +S2 `,
		`(?m)^cost +\$3,170\.00`, `(?m)^average price +\$3\.17`, `(?m)^against last paid +\+4\.2% +where you bought before: 400 t$`,
		`(?m)^cap project=60% +binds, \$2,020\.00 cheaper without it +P2$`,
	} {
		if !regexp.MustCompile(line).MatchString(got) {
			t.Errorf("no %s in\n%s", line, got)
		}
	}
}

func TestABasketThatCannotBeFilledExitsWith4AndTheLimitToBlame(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, says, advises string }{
		{"--tonnes 10000 --cap project=40%", "without cap project=40% there would be 4,600 t more", "Loosen the limit"},
		{"--tonnes 9000000 --filter paid", "only 1,400 t are for sale", "Ask for less"},
		{"--tonnes 10 --floor type:biochar=50%", "5 t of 10 t cannot be filled: without floor type:biochar=50% there would be 5 t more", "REDD+"},
		{"--tonnes 10 --max-price 100", "without max-price 100 ($1.00) there would be 10 t more", "Loosen"},
		{"--tonnes 10 --filter nothing", "no vintage is left by the filter", "Let the filter pass more"},
		{"--budget 100000 --cap project=40% --filter nothing", "no vintage is left by the filter", "Let the filter pass more"},
		{"--tonnes 9000000000000", "cannot be filled: only ", `"next":"Ask for less."`},
		{"--budget 100", "$1.00 pay for no basket within the limits", "more money"},
		{"--tonnes 10 --filter paid --cap type=10% --cap project=10%", "none of them alone is to blame", "more than one"},
	} {
		r := newWorld(t, new(service)).run(append([]string{"basket", "-o", "json"}, strings.Fields(c.args)...)...)
		if r.status != 4 || !strings.Contains(r.stderr, c.says) || !strings.Contains(r.stderr, c.advises) {
			t.Errorf("%s: status %d\n%s", c.args, r.status, r.stderr)
		}
		var got struct {
			Short string `json:"short_tonnes"`
		}
		if err := json.Unmarshal([]byte(r.stdout), &got); err != nil || got.Short == "" {
			t.Errorf("%s: %v in %s", c.args, err, r.stdout)
		}
	}
}

func TestBasketRefusesFlagsThatCannotBeMeant(t *testing.T) {
	t.Parallel()
	for args, says := range map[string]string{
		"": "one of --tonnes and --budget", "--tonnes 1 --budget 1": "one of --tonnes and --budget", "--tonnes 0": `--tonnes "0"`, "--tonnes 1.5": `--tonnes "1.5"`,
		"--budget -1": `--budget "-1"`, "--tonnes 1 --max-price $5.001": `--max-price "$5.001"`, "--tonnes 1 --cap project=40": `"40"`,
		"--tonnes 1 --cap type=40% --cap country=40%": "type and country", "--tonnes 1 --cap type=40% --cap type=50%": "there are two caps per type", "--tonnes 1 --floor Biochar=40%": `"Biochar=40%"`,
		"--tonnes 1 --floor type:a=60% --floor type:b=60%": "add up to 120%", "--tonnes 99999999999999": "beyond any quantity",
	} {
		r := newWorld(t, new(service)).run(append([]string{"basket"}, strings.Fields(args)...)...)
		if what, _ := r.sentences(t); r.status != 2 || !strings.Contains(what, says) || r.stdout != "" {
			t.Errorf("%s: status %d\n%s", args, r.status, r.stderr)
		}
	}
}

func TestAnAmountThatIsNoneIsExplained(t *testing.T) {
	t.Parallel()
	for args, advice := range map[string]string{
		"--budget 25k": "Give whole cents, 2500000, or dollars, $25,000.00.", "--tonnes 1 --max-price 7.001": "Give dollars, such as $6.20, or whole cents, such as 620.", "--tonnes 1.5": "Give whole tonnes above 0.",
	} {
		r := newWorld(t, new(service)).run(append([]string{"basket"}, strings.Fields(args)...)...)
		if _, next := r.sentences(t); r.status != 2 || next != advice {
			t.Errorf("%s: status %d, %q", args, r.status, next)
		}
	}
	if r := newWorld(t, new(service)).run("basket", "--tonnes", "1", "--max-price", "7"); !strings.Contains(r.stdout, "max-price 7 ($0.07)") {
		t.Errorf("a limit of cents is not told in dollars:\n%s", r.stdout)
	}
}

func TestBasketTellsWhatItLeavesOutAndCannotJudge(t *testing.T) {
	t.Parallel()
	s := new(service)
	w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/market" {
			fmt.Fprint(w, strings.Replace(pageOf(r.URL.Query().Get("page"), marketProjects), `"price_cents":"625"`, `"price_cents":"6.2"`, 1))
			return
		}
		s.ServeHTTP(w, r)
	}))
	r := w.run("basket", "--tonnes", "100", "--cap", "type=50%")
	if r.status != command.StatusUnreachable || strings.Count(r.stderr, "could not be read and are left out: 1") != 1 || !strings.Contains(r.stderr, "whose type is not known, which count as one: 1") {
		t.Errorf("status %d\n%s", r.status, r.stderr)
	}
}

// S2 costs 620 and S3 625, of one vintage: the filter of the dashboard takes the
// first alone, and the same words mean the same here.
func TestTheAskOfAFilterIsThePriceLimitOfABasket(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service))
	for _, c := range []struct{ args, filter, object, says string }{
		{"--tonnes 500", "country:ET ask<6.25", `"limits":[{"limit":"max-price 624","binds":true,`, "without max-price 624 ($6.24 by the filter) there would be"},
		{"--tonnes 10", "country:ET ask<=6.20", `"limits":[{"limit":"max-price 620","binds":false,`, ""},
		{"--tonnes 500 --max-price 700", "country:ET ask<6.25", `"limits":[{"limit":"max-price 700","binds":false,`, ""},
	} {
		r := w.run(append([]string{"basket", "-o", "json", "--filter", c.filter}, strings.Fields(c.args)...)...)
		if !strings.Contains(r.stdout, c.object) || !strings.Contains(r.stderr, c.says) {
			t.Errorf("%s %s: status %d\n%s%s", c.filter, c.args, r.status, r.stdout, r.stderr)
		}
	}
	if got := w.must("basket", "--tonnes", "10", "--filter", "country:ET ask<6.25"); !strings.Contains(got, "max-price 624 ($6.24 by the filter)") {
		t.Errorf("the limit of the filter is not told:\n%s", got)
	}
}

func TestBasketReadsTonnesAsTheFormOfTheDashboardDoes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service))
	for _, text := range []string{"1,000", "1k", "1000t", "1000 t"} {
		if got := w.must("basket", "-o", "json", "--tonnes", text); !strings.Contains(got, `{"tonnes":"1000","cost_cents":"115000"`) {
			t.Errorf("--tonnes %q: %s", text, got)
		}
	}
	r := w.run("basket", "--tonnes", "99999999999999999999")
	if what, _ := r.sentences(t); r.status != 2 || !strings.Contains(what, "beyond any quantity") {
		t.Errorf("status %d\n%s", r.status, r.stderr)
	}
}

func TestMoneyInFlagsIsDollarsOrWholeCents(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"7": "($0.07)", "$7": "($7.00)", "7.00": "($7.00)", "$1,000.5": "($1,000.50)", "700": "($7.00)"} {
		if got := newWorld(t, new(service)).run("basket", "--tonnes", "1", "--max-price", text).stdout; !strings.Contains(got, want) {
			t.Errorf("--max-price %s: %s", text, got)
		}
	}
}
