package tab

import (
	"strings"

	"tonne/api"
	"tonne/model/advice"
)

// Advice returns a sentence with advice for an API error, or "". Users of a shared dashboard cannot change the key.
func (v *View) Advice(err error) string {
	if v.Shared && api.KindOf(err) == api.Unauthorized {
		return "The operator of this dashboard must store another key."
	}
	return v.Sentence(api.Advice(err))
}

// Sentence returns a text as a sentence, or "" if it is empty.
func (v *View) Sentence(t advice.Text) string {
	if t.IsEmpty() {
		return ""
	}
	return Capital(v.Commands(t)) + "."
}

// Commands adds the flags of the dashboard to each command in a text.
func (v *View) Commands(t advice.Text) string {
	if v.WithFlags == nil {
		return t.String()
	}
	return v.WithFlags(t)
}

// Sentence formats an error as a sentence.
func Sentence(err error) string {
	if err.Error() == "" {
		return ""
	}
	return Capital(err.Error()) + "."
}

// Capital returns a non-empty phrase with a capital first letter.
func Capital(phrase string) string { return strings.ToUpper(phrase[:1]) + phrase[1:] }
