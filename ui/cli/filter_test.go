package cli

import (
	"strings"
	"testing"
)

// column returns the cells of a column of CSV.
func column(csv string, n int) string {
	var cells []string
	for _, line := range strings.Split(strings.TrimSpace(csv), "\n")[1:] {
		cells = append(cells, strings.Split(strings.ReplaceAll(line, `"'=Bale ""Mountains"", ET"`, "Bale"), ",")[n])
	}
	return strings.Join(cells, " ")
}

func TestAFilterNarrowsTheMarketInEveryFormat(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service))
	for expr, want := range map[string]string{
		"": "S1 S2 S3 S4", "ask<10": "S1 S2 S3 S4", "ask<2": "S4", "paid": "S1 S2 S3", "!paid": "S4", "type:redd": "S1 S2 S3", "country:ethiopia": "S1 S2 S3",
		"vintage>=2020": "S4", "bale": "S1 S2 S3", "country:kenya,ethiopia": "S1 S2 S3", "country:kenya,uganda": "", "bale|ordu": "S1 S2 S3", "available>=5000000": "S4", "held>0": "S1 S2 S3", "registry:verra ask>6": "S1 S2 S3",
	} {
		if got := column(w.must("market", "-o", "csv", "--filter", expr), 4); got != want {
			t.Errorf("%q leaves %q, want %q", expr, got, want)
		}
	}
	if got := w.must("market", "-o", "json", "--filter", "vintage:2022"); strings.Contains(got, "P1") || strings.Contains(got, "V2") || !strings.Contains(got, `"vintages":[{"vintage_id":"V3"`) || !strings.Contains(got, `"total_projects":2`) {
		t.Errorf("json:\n%s", got)
	}
	if got := w.must("market", "--filter", "vintage:2022"); strings.Contains(got, "V1") || !strings.Contains(got, "V3") || strings.Count(got, "\n") != 2 {
		t.Errorf("table:\n%s", got)
	}
}

func TestAFilterNarrowsTheInventoryByTheMarketToo(t *testing.T) {
	t.Parallel()
	s := new(service)
	w := newWorld(t, s)
	for expr, want := range map[string]string{
		"": "V1 V2", "held>0": "V1", "ask<2": "V2", "ask>2 paid": "V1", "type:redd": "V1", "!type:redd": "V2", "available>=5,000,000": "V2",
	} {
		if got := column(w.must("inventory", "-o", "csv", "--filter", expr), 2); got != want {
			t.Errorf("%q leaves %q, want %q", expr, got, want)
		}
	}
	if got := w.must("inventory", "--trades", "-o", "json", "--filter", "bale"); strings.Contains(got, "P2") || !strings.Contains(got, "P1") {
		t.Errorf("json:\n%s", got)
	}
	for _, args := range [][]string{{"-o", "csv"}, {"-o", "json"}, {"--trades"}} {
		s.asked = nil
		if w.must(append([]string{"inventory", "--filter", "paid"}, args...)...); strings.Contains(strings.Join(s.asked, " "), "/api/market") {
			t.Errorf("%v: the market is read although nothing looks at it: %v", args, s.asked)
		}
	}
}

func TestAFilterAsksForWhatTheBuyerKnows(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service))
	if got := column(w.must("market", "-o", "csv", "--filter", "!label:ccp"), 4); got != "S1 S2 S3 S4" {
		t.Errorf("without labels %q are left", got)
	}
	w.must("attributes", "import", w.write("labels.csv", factHeader+"\nproject,P2,ccp,yes,https://icvcm.org/ccp,2026-03-01\nvintage,V1,removal,reduction,https://verra.org/a,2026-03-01\n"))
	for expr, want := range map[string]string{"label:ccp": "S4", "label:reduction": "S1 S2 S3", "label:ccp ask<1": "", "!label:ccp": "S1 S2 S3"} {
		if got := column(w.must("market", "-o", "csv", "--filter", expr), 4); got != want {
			t.Errorf("%q leaves %q, want %q", expr, got, want)
		}
	}
	if got := column(w.must("inventory", "-o", "csv", "--filter", "label:ccp"), 2); got != "V2" {
		t.Errorf("of the inventory %q are left", got)
	}
	if got := column(w.must("basket", "--tonnes", "5", "-o", "csv", "--filter", "label:reduction"), 4); got != "S2" {
		t.Errorf("the basket has %q", got)
	}
	if got := column(w.must("basket", "--tonnes", "10", "-o", "csv", "--floor", "label:reduction=40%"), 5); got != "6 4" {
		t.Errorf("the basket with a floor by label has %q tonnes", got)
	}
	if r := w.run("basket", "--tonnes", "10", "--floor", "label:vm0007=40%"); r.status != 4 || !strings.Contains(r.stderr, "known to have the label vm0007") {
		t.Errorf("a label that nothing has: status %d\n%s", r.status, r.stderr)
	}
}

func TestAFilterByLabelExplainsThatNoAttributesAreKnown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service))
	const said = "tonne: no attributes are known, so no vintage has a label; import them with `tonne attributes import FILE.csv`.\n"
	for _, command := range [][]string{{"market"}, {"inventory"}, {"basket", "--tonnes", "1"}} {
		for _, filter := range []string{"label:removal", "!label:removal"} {
			if r := w.run(append(command, "--filter", filter)...); strings.Count(r.stderr, said) != 1 {
				t.Errorf("%v %s: status %d\n%s", command, filter, r.status, r.stderr)
			}
		}
	}
	if r := w.run("market", "--filter", "nothing"); strings.Contains(r.stderr, "attributes") {
		t.Errorf("a filter without labels: %s", r.stderr)
	}
	w.must("attributes", "import", w.write("labels.csv", factHeader+"\nproject,P2,ccp,yes,https://icvcm.org/ccp,2026-03-01\n"))
	if r := w.run("market", "--filter", "label:removal"); strings.Contains(r.stderr, "attributes") {
		t.Errorf("attributes are known: %s", r.stderr)
	}
}

func TestAFilterThatIsNotUnderstoodIsQuotedAndNothingIsAsked(t *testing.T) {
	t.Parallel()
	for _, command := range [][]string{{"market"}, {"inventory"}, {"basket", "--tonnes", "1"}} {
		s := new(service)
		r := newWorld(t, s).run(append(command, "--filter", "bale asc<10")...)
		what, _ := r.sentences(t)
		if r.status != 2 || !strings.Contains(what, `"asc<10"`) || !strings.Contains(what, "did you mean ask?") || r.stdout != "" || len(s.asked) > 0 {
			t.Errorf("%v: status %d, %v\n%s%s", command, r.status, s.asked, r.stdout, r.stderr)
		}
	}
}

func TestAFilterThatLetsNothingPassSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service))
	for _, command := range []string{"market", "inventory"} {
		if r := w.run(command, "--filter", "nothing"); r.status != 0 || !strings.Contains(r.stderr, "the filter lets none of ") {
			t.Errorf("%s: status %d\n%s", command, r.status, r.stderr)
		}
		for _, more := range []string{"-o=table", "-o=csv", "--page=1"} {
			if r := w.run(command, "--filter", "nothing", more); strings.Count(r.stderr, "\n") != 1 || !strings.Contains(r.stderr, "the filter lets none of ") {
				t.Errorf("%s %s says more than that:\n%s", command, more, r.stderr)
			}
		}
	}
}

func TestTablesShowTypeAndCountry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service))
	for _, command := range []string{"market", "inventory"} {
		lines := strings.Split(w.must(command), "\n")
		if !strings.Contains(lines[0], "TYPE") || !strings.Contains(lines[0], "CC") || !strings.Contains(lines[1], "REDD+") || !strings.Contains(lines[1], " ET ") {
			t.Errorf("%s:\n%s", command, strings.Join(lines, "\n"))
		}
	}
}

func TestAFilterNarrowsWhatWatchPrints(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string]int{"": 1, "paid country:ethiopia ask<6.15": 1, "ask>6.15": 0, "type:wind": 0, "!paid": 0} {
		inBubble(t, func(t *testing.T) {
			r, recorded := watched(t, "market", "--watch", "-o", "jsonl", "--filter", expr)
			if got := strings.Count(r.stdout, `"repriced"`); got != want || recorded != "[620 610]" {
				t.Errorf("%q: %d changes, recorded %s\n%s", expr, got, recorded, r.stdout)
			}
		})
	}
}

// The letters of a word stand in many an id: what only they let pass comes last,
// and is not bought while anything else passes.
func TestWhatPassesByAnIDAloneIsLastAndNotBought(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service))
	if got := column(w.must("market", "-o", "csv", "--filter", "V1|2021"), 4); !strings.HasPrefix(got, "S4 S") {
		t.Errorf("the market begins with what an id alone lets pass: %q", got)
	}
	for expr, want := range map[string]string{"V2|bale": "P1", "V2": "P2"} {
		if got := w.must("basket", "--tonnes", "1", "--filter", expr, "-o", "jsonl"); !strings.Contains(got, `"`+want+`"`) {
			t.Errorf("%q buys %s, want of %s", expr, got, want)
		}
	}
}
