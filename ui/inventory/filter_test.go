package inventory

import (
	"strings"
	"testing"

	"tonne/model/must"
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
		must.Equal(t, r.left(), want, "filter", typed)
		if want == "" {
			r.Sees("No wallet matches " + typed + ".")
		}
	}
}
