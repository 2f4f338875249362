package ledger_test

import (
	"strings"
	"testing"

	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/ui/retirement/ledger"
)

func TestTheMatchingPartIsMarked(t *testing.T) {
	for _, test := range []struct{ value, searched, marked string }{
		{"Müller & Söhne GmbH", "sohne", "Müller & |Söhne| GmbH"},
		{"Muller & Sons", "MÜLL", "|Mull|er & Sons"},
		{"Mu\u0308ller", "mul", "|Mu\u0308l|ler"},
		{"Łódź Ltd", "lodz", "|Łódź| Ltd"},
		{"GB 123", "gb123", "|GB 123|"},
	} {
		found := ledger.Found{LedgerMatch: retirement.LedgerMatch{
			Field: retirement.ByBeneficiary, Value: test.value, Text: test.searched,
		}}
		before, part, after := found.Parts()
		must.Equal(t, strings.TrimSpace(before+"|"+part+"|"+after), test.marked)
	}
}
