package ui

import "testing"

func TestHeadingsNameTheUnit(t *testing.T) {
	t.Parallel()
	r := ready(t)
	r.Sees(" TONNES", "CUM. TONNES")
	r.press("u")
	r.Sees(" GRAMS", "CUM. GRAMS", "400,000,000 g")
	r.SeesNot("TONNES")
	r.showInventory()
	r.Sees(" GRAMS")
	r.SeesNot("TONNES")
	r.press("u")
	r.Sees(" TONNES")
	r.press("1")
	r.Sees(" TONNES", "CUM. TONNES")
	r.SeesNot("GRAMS")
}
