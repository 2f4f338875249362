package statement

import (
	"fmt"
	"strings"

	"tonne/model"
	"tonne/model/retirement"
)

func (b *statementBuilder) doubt() {
	counted := make(map[string]bool, len(b.retired))
	var failed []string
	for _, r := range b.retired {
		counted[r.ID] = true
		project, known := b.Projects[r.ProjectID]
		var names []string
		for _, c := range r.Checks(project, known) {
			if r.FailedBy(c) {
				names = append(names, c.Name)
			}
		}
		if len(names) > 0 {
			failed = append(failed, r.ID+" ("+strings.Join(names, ", ")+")")
		}
	}
	b.doubtTwice(counted)
	if len(failed) > 0 {
		b.note("Of %s counted as retired %s doubts in the answers of the service: %s. No certificate was looked at for this: their evidence may say more.", model.Count(len(b.retired), "request", "requests"), model.Count(len(failed), "has", "have"), SomeOf(failed, mostNamed, ", "))
	}
}

// doubtTwice notes the credits that a counted request and another one claim.
func (b *statementBuilder) doubtTwice(counted map[string]bool) {
	var serials []retirement.OwnedSerial
	for n, r := range b.Requests {
		serials = append(serials, r.Claims(n)...)
	}
	var words []string
	for _, o := range retirement.RetiredTwice(serials) {
		if one, other := b.Requests[o.A.Owner].ID, b.Requests[o.B.Owner].ID; counted[one] || counted[other] {
			words = append(words, fmt.Sprintf("%s by %s and %s", o, one, other))
		}
	}
	if len(words) > 0 {
		b.note("Credits counted as retired are claimed by more than one request: %s.", SomeOf(words, mostNamed, ", "))
	}
}

const mostNamed = 3

// SomeOf lists at most so many of some words, and says how many more there are.
func SomeOf(words []string, most int, separator string) string {
	text := strings.Join(words[:min(len(words), most)], separator)
	if more := len(words) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
