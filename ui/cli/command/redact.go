package command

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"tonne/api"
	"tonne/api/wire"
	"tonne/ui/cli/config"
)

// userInfo matches the user name and the password in an address.
var userInfo = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`://[^\s"]*@`) })

// OneLine returns a text of the user in one line, sanitised, such as the reason of a purchase.
func OneLine(text string) string { return wire.Clean(strings.Join(strings.Fields(text), " ")) }

// Clean removes keys and control characters from a text.
func (a *App) Clean(text string) string { return wire.Clean(a.Redact(text)) }

// Redact removes the API key from a text: a service may return it, and a user may have typed
// it in the wrong place. Redact removes the key of the environment even before the settings
// are read.
func (a *App) Redact(s string) string {
	return RedactKeys(s, a.Key, strings.TrimSpace(a.Getenv("TONNE_API_KEY")))
}

// RedactKeys removes keys and user names in addresses from a text.
func RedactKeys(s string, keys ...string) string {
	return userInfo().ReplaceAllString(api.HideKeys(s, keys...), "://[user]@")
}

func (p Process) hideKeys(s string) (hidden string, some bool) {
	hidden = s
	for _, word := range p.words() {
		if config.LooksLikeKey(word) {
			hidden = strings.ReplaceAll(hidden, `"`+word+`"`, config.NotShown)
			hidden = strings.ReplaceAll(hidden, word, config.NotShown)
		}
	}
	return hidden, hidden != s || strings.Contains(s, config.NotShown)
}

// words returns the arguments of the program, the longest first.
func (p Process) words() []string {
	var words []string
	for _, arg := range p.Args {
		// A key after dashes is parsed as a flag. A key after a flag of one letter is parsed
		// as its value, or as several such flags.
		bare := strings.TrimLeft(arg, "-")
		_, value, _ := strings.Cut(arg, "=")
		words = append(words, strings.TrimSpace(arg), bare, value)
		if len(bare) > 0 && bare != arg {
			words = append(words, bare[1:])
		}
	}
	for _, name := range []string{"TONNE_BASE_URL", "TONNE_PROFILE", "TONNE_CONFIG"} {
		words = append(words, strings.TrimSpace(p.Getenv(name)))
	}
	slices.SortFunc(words, func(x, y string) int { return len(y) - len(x) })
	return words
}
