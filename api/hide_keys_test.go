package api_test

import (
	"testing"

	"tonne/api"
	must "tonne/model/musttest"
)

func TestKeysAreReplacedOnce(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		keys       []string
		want       string
	}{
		{"a key", "the key abcdefgh is bad", []string{"abcdefgh"}, "the key [key] is bad"},
		{"a key within a word", "xabcdefghx", []string{"abcdefgh"}, "x[key]x"},
		{"a short key is a word", "an API key k of the market: k.", []string{"k"}, "an API key [key] of the market: [key]."},
		{"the key is key", "the API key is key", []string{"key"}, "the API [key] is [key]"},
		{"a short key of other characters", "a%%b %% c", []string{"%%"}, "a[key]b [key] c"},
		{"two keys, one within the replacement", "abcdefgh of key", []string{"abcdefgh", "key"}, "[key] of [key]"},
		{"the same key twice", "abcdefgh", []string{"abcdefgh", "abcdefgh"}, "[key]"},
		{"a key that contains another", "abcdefghij abcdefgh", []string{"abcdefgh", "abcdefghij"}, "[key] [key]"},
		{"a quoted key", `is "abcd\"efgh"`, []string{`abcd"efgh`}, `is "[key]"`},
		{"a pattern", "abcd.*fgh abcdxxfgh", []string{"abcd.*fgh"}, "[key] abcdxxfgh"},
		{"no key", "market", []string{"", ""}, "market"},
	} {
		must.Equal(t, api.HideKeys(tt.text, tt.keys...), tt.want, tt.name)
	}
}
