package command_test

import (
	"testing"

	must "tonne/model/musttest"
	"tonne/ui/cli/command"
)

func TestUserNamesInAddressesAreRemoved(t *testing.T) {
	t.Parallel()
	must.Equal(t, command.RedactKeys("https://u:p@market.example, the key abcdefgh", "abcdefgh"),
		"https://[user]@market.example, the key [key]")
}

func TestOneLineIsSanitised(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                "",
		"the customer asked for it":       "the customer asked for it",
		" first\r\n\tsecond\u2028third\n": "first second third",
		"\x1b[31mred":                     "␛[31mred",
		"a\u202eb":                        "a<U+202E>b",
	} {
		must.Equal(t, command.OneLine(text), want, text)
	}
}
