package ledger

import (
	"tonne/api"
	"tonne/model"
	"tonne/ui/style"
)

func mark(s model.RetirementStatus) (style.Role, string) {
	switch s {
	case model.Complete:
		return style.Accent, "✓"
	case model.Open:
		return style.Cheaper, "◔"
	case model.Closed:
		return style.Paid, "◑"
	case model.InProgress:
		return style.Cheaper, "◕"
	case model.NothingToProcess:
		return style.Faint, "○"
	}
	return style.Warning, "?"
}

// What becomes of a look-up that fails. Only a request that was not found or
// not accepted was answered for: of the others nothing is known.
const (
	notFound    = "not found"
	notAccepted = "not accepted"
	notReached  = "not reached"
	refused     = "refused"
	failed      = "failed"
)

var failures = [...]string{notFound, notAccepted, notReached, refused, failed}

func failure(err error) string {
	switch api.KindOf(err) {
	case api.NotFound:
		return notFound
	case api.Invalid:
		return notAccepted
	case api.Unauthorized, api.Forbidden:
		return refused
	case api.Unreachable, api.TimedOut, api.NotTheAPI:
		return notReached
	}
	return failed
}
