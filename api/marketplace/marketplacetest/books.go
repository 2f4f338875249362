package marketplacetest

import (
	_ "embed" // the rules
	"strings"

	must "tonne/model/musttest"
)

// rules has lines with a rule and the SQL that counts what breaks it.
//
//go:embed rules.txt
var rules string

// CheckBooks checks that the database is consistent: no gram and no cent was created or lost.
func (c Client) CheckBooks() {
	c.Helper()
	for line := range strings.Lines(rules) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		rule, broken, ok := strings.Cut(line, " => ")
		must.Need(c, ok, "no SQL", line)
		must.Equal(c, c.Number(broken), 0, rule)
	}
}
