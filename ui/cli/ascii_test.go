package cli

import (
	"strings"
	"testing"
	"unicode/utf8"

	must "tonne/model/musttest"
)

// TestASCIILocaleGetsOnlyASCII runs commands whose texts have symbols of the program in other
// locales. The data of the service has only ASCII.
func TestASCIILocaleGetsOnlyASCII(t *testing.T) {
	t.Parallel()
	beyond := func(text string) string {
		for line := range strings.Lines(text) {
			for _, c := range line {
				if c >= utf8.RuneSelf {
					return line
				}
			}
		}
		return ""
	}
	symbols := false
	for _, locale := range []string{"C", "POSIX", "en_US.ISO-8859-1", "C.UTF-8"} {
		w := newWorld(t, new(service))
		w.env["LC_ALL"] = locale
		for _, args := range []string{
			"market", "inventory", "compare V1 V2", "quote V1 5", "quote V1 5000", "basket --tonnes 50 --cap project=40%",
			"retirement R1", "ledger",
			"statement --from 2026-01-01", "man", "schema", "market --help", "retire --help", "retirement --help",
			"watch --help", "config init",
			"config show", "auth status", "market --filter vintage>>", "basket --tonnes 1.000", "basket --tonnes 0",
			"serve --db host=x", "nonsense",
			"retire --vintage V1 --tonnes 4 --allow-retire --dry-run", "inventory --trades", "project", "market --nonsense",
		} {
			r := w.run(strings.Fields(args)...)
			line := beyond(r.stdout + r.stderr)
			if locale == "C.UTF-8" {
				symbols = symbols || line != ""
			} else {
				must.Hold(t, line == "", locale, args, line)
			}
		}
	}
	must.Hold(t, symbols, "no command has symbols in UTF-8, so the test proves nothing")
}
