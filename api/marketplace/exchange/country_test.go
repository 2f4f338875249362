package exchange

import "testing"

func TestIsCountry(t *testing.T) {
	t.Parallel()
	count := 0
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			if IsCountry(string([]rune{a, b})) {
				count++
			}
		}
	}
	if count != 249 {
		t.Errorf("%d pairs of capitals are countries; ISO 3166-1 has 249", count)
	}
	for _, text := range []string{"", "G", "gb", "Gb", "GBR", " G", "B ", "D A", "EU", "UK", "XK", "AN", "YU", "CS", "ZZ", "AA", "XX", "826", "GB ", "ＧＢ"} {
		if IsCountry(text) {
			t.Errorf("%q is a country", text)
		}
	}
	for _, code := range []string{"AD", "GB", "BQ", "CW", "SS", "SX", "BL", "MF", "ZW"} {
		if !IsCountry(code) {
			t.Errorf("%s is not a country", code)
		}
	}
}
