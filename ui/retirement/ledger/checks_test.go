package ledger

import (
	"strings"
	"testing"

	"tonne/model"
	"tonne/model/retirement"
)

func TestEveryCheckHasATitle(t *testing.T) {
	t.Parallel()
	for _, c := range (retirement.Request{}).Checks(model.Project{}, false) {
		if title := CheckTitle(c.Name); title == "" || strings.Contains(title, "_") {
			t.Errorf("title of %s: %q", c.Name, title)
		}
	}
	if title := CheckTitle("other"); title != "other" {
		t.Errorf("title of an unknown check: %q", title)
	}
}
