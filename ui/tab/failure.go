package tab

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"tonne/api"
)

const tryLater = "Try again later; if it stays, tell the marketplace's support."

type words struct{ brief, advice string }

// Brief returns an error in about thirty columns, for a header or a cell, if it
// is of a call of the marketplace, and in its own words otherwise.
func Brief(err error) string {
	var e *api.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	return inWords(e).brief
}

// Advice returns what to do about an error, in one sentence, or "" for one that
// is not of a call of the marketplace.
func Advice(err error) string {
	var e *api.Error
	if !errors.As(err, &e) {
		return ""
	}
	return inWords(e).advice
}

func inWords(e *api.Error) words {
	switch e.Kind {
	case api.Unauthorized:
		return words{"key not accepted", "It is mistyped or inactive. Correct it, or store another: `tonne auth login`."}
	case api.Forbidden:
		return words{fmt.Sprintf("role %q missing", e.Role), fmt.Sprintf("Ask an administrator of the marketplace to grant the role %q.", e.Role)}
	case api.NotFound:
		return words{"not found", "Check the id: it must be one of your own retirement requests."}
	case api.Invalid:
		return words{"not accepted", "Check what was asked for."}
	case api.RateLimited:
		return words{"too many requests", fmt.Sprintf("Try again in %d s.", cmp.Or(e.WaitSeconds(), 60))}
	case api.ServerError:
		if api.LongWait(e) {
			return words{fmt.Sprintf("service answered %d", e.Status), fmt.Sprintf("Try again in %d s.", e.WaitSeconds())}
		}
		return words{fmt.Sprintf("service answered %d", e.Status), tryLater}
	case api.NotTheAPI:
		if !e.Elsewhere {
			return words{"not the marketplace's API", tryLater}
		}
		return words{"not the marketplace's API", "Check the base URL: something other than the marketplace answers there."}
	case api.Unreachable:
		return words{e.Message, "Check the network and the base URL."}
	case api.TimedOut:
		return words{"no answer in time", "Try again, or allow more time."}
	case api.Incomplete:
		return words{fmt.Sprintf("incomplete: %d of %d projects", e.Read, e.Total), tryLater}
	case api.Cancelled:
		return words{"cancelled", "Start it again when you are ready."}
	}
	return words{"refused", "Check the address and the settings."}
}

// Advice returns what to do about an error as the function Advice does. At a
// shared desk the key is not the person's.
func (v *View) Advice(err error) string {
	if v.Shared && api.KindOf(err) == api.Unauthorized {
		return "Whoever runs this desk has to store another key."
	}
	return v.Commands(Advice(err))
}

// Commands returns a text in which each command that it names has the flags of the
// dashboard.
func (v *View) Commands(text string) string {
	if v.WithFlags == nil {
		return text
	}
	return v.WithFlags(text)
}

// Sentence returns an error as a sentence.
func Sentence(err error) string {
	text := err.Error()
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
