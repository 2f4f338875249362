package command_test

import (
	"testing"

	must "tonne/model/musttest"
	"tonne/ui/cli/command"
)

func TestKeysAreReplacedOnce(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		keys       []string
		want       string
	}{
		{"a key", "the key abcd is bad", []string{"abcd"}, "the key [key] is bad"},
		{"a key within the replacement", "market", []string{"k"}, "mar[key]et"},
		{"two keys, one within the replacement", "a market", []string{"a", "k"}, "[key] m[key]r[key]et"},
		{"the same key twice", "key", []string{"key", "key"}, "[key]"},
		{"a key that contains another", "abcd ab", []string{"ab", "abcd"}, "[key] [key]"},
		{"a quoted key", `is "a\"b"`, []string{`a"b`}, `is "[key]"`},
		{"no key", "market", []string{"", ""}, "market"},
		{"a user in an address", "https://u:p@market.example", nil, "https://[user]@market.example"},
	} {
		must.Equal(t, command.RedactKeys(tt.text, tt.keys...), tt.want, tt.name)
	}
}
