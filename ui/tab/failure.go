package tab

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"tonne/api"
)

const tryLater = "Try again later. If it fails again, contact the marketplace's support."

// Brief returns the text of an error. For an API error it has about thirty columns.
func Brief(err error) string {
	e, ok := errors.AsType[*api.Error](err)
	if !ok {
		return err.Error()
	}
	brief, _ := inWords(e)
	return brief
}

// Advice returns a sentence with advice for an API error, or "" for any other error.
func Advice(err error) (advice string) {
	if e, ok := errors.AsType[*api.Error](err); ok {
		_, advice = inWords(e)
	}
	return advice
}

func inWords(e *api.Error) (brief, advice string) {
	brief, advice = ofKind(e)
	return cmp.Or(e.Brief, brief), cmp.Or(e.Todo, advice)
}

func ofKind(e *api.Error) (brief, advice string) {
	switch e.Kind {
	case api.Unauthorized:
		return "key not accepted", "It is mistyped or inactive. Correct it, or store another: `tonne auth login`."
	case api.Forbidden:
		if e.Role == "" {
			return "access refused", "Ask the marketplace's support, and quote the reason."
		}
		return fmt.Sprintf("role %q missing", e.Role), fmt.Sprintf("Ask an administrator of the marketplace to grant the role %q.", e.Role)
	case api.NotFound:
		return "not found", "Check the id: it must be one of your own retirement requests."
	case api.Invalid:
		return "not accepted", "Check the request."
	case api.RateLimited:
		return "too many requests", fmt.Sprintf("Try again in %d s.", cmp.Or(e.WaitSeconds(), 60))
	case api.ServerError:
		if api.LongWait(e) {
			return fmt.Sprintf("service answered %d", e.Status), fmt.Sprintf("Try again in %d s.", e.WaitSeconds())
		}
		return fmt.Sprintf("service answered %d", e.Status), tryLater
	case api.NotTheAPI:
		if !e.Elsewhere {
			return "not the marketplace's API", tryLater
		}
		return "not the marketplace's API", "Check the base URL: the server there is not the marketplace."
	case api.Unreachable:
		return e.Message, "Check the network and the base URL."
	case api.TimedOut:
		return "no answer in time", "Try again, or allow more time."
	case api.Incomplete:
		return fmt.Sprintf("incomplete: %d of %d projects", e.Read, e.Total), tryLater
	case api.Cancelled:
		return "cancelled", "Start it again when you are ready."
	}
	return "refused", "Check the address and the settings."
}

// Advice is like the function Advice, but takes into account that users of a shared dashboard cannot change the key.
func (v *View) Advice(err error) string {
	if v.Shared && api.KindOf(err) == api.Unauthorized {
		return "The operator of this dashboard must store another key."
	}
	return v.Commands(Advice(err))
}

// Commands adds the flags of the dashboard to each command in a text.
func (v *View) Commands(text string) string {
	if v.WithFlags == nil {
		return text
	}
	return v.WithFlags(text)
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
