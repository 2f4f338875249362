package command

import (
	"testing"

	must "tonne/model/musttest"
)

func TestAddressOfACompanyIsOneLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                               "",
		"Street 1, 8000 Zurich":          "Street 1, 8000 Zurich",
		"Street 1,\r\n8000 Zurich\n\nCH": "Street 1, 8000 Zurich, CH",
		"\n  Street 1\n":                 "Street 1",
	} {
		must.Equal(t, inOneLine(text), want, text)
	}
}
