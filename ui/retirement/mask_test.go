package retirement

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	must "tonne/model/musttest"
)

func TestTaxIDsAreMaskedInAnyFormat(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		id         string
		page, want []string
	}{
		{"GB 123 456 789", []string{"Tax id: GB 123 456 789."}, []string{"Tax id: ••••• 789."}},
		{"GB 123 456 789", []string{"(gb123456789)"}, []string{"(••••• 789)"}},
		{"123456789", []string{"VAT123456789, 123-456-789"}, []string{"VAT•••••6789, •••••6789"}},
		{"123456789", []string{"for 123 456", "789 only"}, []string{"for •••••6789", " only"}},
		{"123456789", []string{"12345678 and 1234 56789"}, []string{"12345678 and •••••6789"}},
		{"17", []string{"17 of 1,170 t, 2017"}, []string{"••••• of 1,170 t, 2017"}},
		{"", []string{"nobody's"}, []string{"nobody's"}},
	} {
		must.Equal(t, maskLines(test.page, []string{test.id}), test.want, test.id, test.page)
	}
}

func TestMaskedPageHasNoTaxID(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringMatching(`[A-Z]{0,2}[0-9]{8,12}`).Draw(t, "id")
		gap := rapid.SampledFrom([]string{"", " ", "-", " - ", "\n"})
		var written strings.Builder
		for _, r := range id {
			written.WriteString(string(r) + gap.Draw(t, "gap"))
		}
		text := rapid.StringMatching(`[a-z ]{0,20}`).Draw(t, "before") + " " + written.String() + rapid.StringMatching(`[a-z \n]{0,20}`).Draw(t, "after")
		lines := strings.Split(text, "\n")
		masked := maskLines(lines, []string{id})
		must.Equal(t, len(masked), len(lines))
		letters := strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return r
			}
			return -1
		}, strings.Join(masked, ""))
		must.Hold(t, !strings.Contains(strings.ToUpper(letters), id), id, masked)
	})
}
