package inventory

import (
	"strings"
	"testing"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/attribute"
	"tonne/ui/uitest"
)

// left returns the projects of the rows on the screen, in order.
func (r *robot) left() string {
	var ids []string
	for _, x := range r.tab.wallets.table.Rows() {
		ids = append(ids, strings.TrimPrefix(x.Key.ProjectID, "003"))
	}
	return strings.Join(ids, " ")
}

func TestFilterUsesTheLanguageOfTheCommandLine(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"ethiopia": "bale bale", "country:cambodia": "camb", "type:cook": "camb dela", "!cook": "bale bale cabo",
		"ask<2": "cabo", "ask<10 vintage>=2020": "bale cabo camb", "paid>10": "dela", "held>=3": "camb dela",
		"bm": "bale bale", "2021": "cabo", "CAAS wind": "cabo", "ask>1000": "", "held=0": "bale",
		"available>=1t": "bale bale cabo camb dela", "registry:verra !paid": "",
	} {
		r := whole(t)
		r.Press("z", "/")
		r.paste(typed)
		r.Press("enter")
		if got := r.left(); got != want {
			t.Errorf("filter %q shows %q, want %q", typed, got, want)
		}
		if want == "" {
			r.Sees("No wallet matches " + typed + ".")
		}
	}
}

func TestFilterByAttributes(t *testing.T) {
	t.Parallel()
	r := whole(t)
	r.Press("/")
	r.paste("label:ccp")
	if got := r.left(); got != "" {
		t.Errorf("without attributes the filter shows %q, want none", got)
	}
	r.Sees(" · no attributes are known", "No attributes are known, so nothing has a label.", "Import them with `tonne attributes import FILE.csv`.")
	r.Hear(session.AnnotationsEvent{Facts: attribute.NewFacts([]attribute.Fact{{
		Scope: attribute.OfProject, ID: "003cabo", Attribute: attribute.CCP, Value: attribute.Labelled, Source: "https://icvcm.org/a", Checked: uitest.Now,
	}})})
	if got := r.left(); got != "cabo" {
		t.Errorf("the filter shows %q, want cabo, which is labelled", got)
	}
	r.SeesNot("No attributes")
}

func TestMatchesAreHighlighted(t *testing.T) {
	t.Parallel()
	r := whole(t)
	r.FrameAt(160, 41)
	r.Press("/")
	r.paste("moun caas")
	r.Press("enter")
	for _, marked := range []string{"Moun", "CAAS"} {
		if !strings.Contains(r.Frame(), "m"+marked+"\x1b") {
			t.Errorf("%s is not marked: %q", marked, r.Line("Bale"))
		}
	}
}

func TestFilteredTotalsCoverAllPages(t *testing.T) {
	t.Parallel()
	r := newRobot(t)
	r.know()
	r.hold(traded(make([]int, 400)...), nil)
	r.Press("/")
	r.paste("003t00")
	r.Sees("10 of 400 wallets", "10 t")
	if r.tab.wallets.sums().Held != 10*model.GramsPerTonne {
		t.Errorf("the total balance is %d g", r.tab.wallets.sums().Held)
	}
}
