package api

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"tonne/model"
)

// Kind says what went wrong with a call.
type Kind int8

// The kinds of error. Refused is said by this client, of a call that it will
// not make: an address that is not safe, an id that is none. Incomplete is a
// listing that ended before all of its projects were read: what was read comes
// with the error.
const (
	_ Kind = iota
	Unauthorized
	Forbidden
	NotFound
	Invalid
	RateLimited
	ServerError
	NotTheAPI
	Unreachable
	TimedOut
	Cancelled
	Refused
	Incomplete
)

// ErrKey is wrapped by an error of kind Refused if the API key holds characters
// that a key cannot have.
var ErrKey = errors.New("the API key cannot be one")

// RoleAPIUser is the role that a key's user must hold (interface section 5).
const RoleAPIUser = "API User"

// Error is why a call failed. It never contains the key, and its texts are
// sanitised.
type Error struct {
	Kind Kind
	// Status is the HTTP status, 0 if there was no answer.
	Status int
	// Code is the kind of error in the service's words, such as NOT_FOUND.
	Code string
	// Message is what the service says, or for other kinds what happened.
	Message string
	// Role is the role that is missing if Kind is Forbidden.
	Role string
	// RetryAfter is how long the service asks to wait, 0 if it does not say.
	// asked is the text of the Retry-After header.
	RetryAfter time.Duration
	asked      string
	// Elsewhere says that a web page or another host answered: the address may
	// be wrong.
	Elsewhere bool
	// json says that the body was a JSON object, damaged that it was not, or was
	// one of another status.
	json, damaged bool
	// Read is how many projects were read of a listing that is incomplete,
	// Total how many the service lists.
	Read, Total int
	// Err is the cause if there is one, for errors.Is. Its text is not
	// sanitised.
	Err error
}

// KindOf returns the kind of err, or 0 if it is not an *Error.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return 0
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Error says in one sentence what happened.
func (e *Error) Error() string {
	switch e.Kind {
	case Unauthorized:
		return "the service does not accept the API key"
	case Forbidden:
		return fmt.Sprintf("the user of the API key does not hold the role %q", e.Role)
	case NotFound:
		return e.said("the service knows no such record of yours")
	case Invalid:
		return e.said("the service does not accept the request")
	case RateLimited:
		return "the service asks for fewer requests" + e.longWait()
	case ServerError:
		return fmt.Sprintf("the service answered %d", e.Status) + e.longWait()
	case TimedOut:
		return "the service did not answer in time"
	case Cancelled:
		return "the request was cancelled"
	}
	return e.Message
}

// LongWait reports whether the service asks to wait longer than a command does,
// which is a minute.
func LongWait(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.RetryAfter > longestRetry
}

// WaitSeconds is RetryAfter in whole seconds, rounded up.
func (e *Error) WaitSeconds() int64 {
	return int64(e.RetryAfter/time.Second) + min(int64(e.RetryAfter%time.Second), 1)
}

func (e *Error) longWait() string {
	if !LongWait(e) {
		return ""
	}
	return "; it asks for a wait " + cmp.Or(e.asked, fmt.Sprintf("of %d s", e.WaitSeconds()))
}

func (e *Error) said(otherwise string) string {
	switch {
	case e.Message == "":
		return otherwise
	case e.Code == "" || e.Code == e.Message:
		return e.Message
	}
	return e.Message + " (" + e.Code + ")"
}

func incomplete(listing string, read, total int) *Error {
	return &Error{Kind: Incomplete, Read: read, Total: total, Message: fmt.Sprintf("the %s is incomplete: %s of %s projects were read",
		listing, model.FormatNumber(int64(read)), model.FormatNumber(int64(total)))}
}

func tooManyPages(listing string, read, total, pages int) *Error {
	return &Error{Kind: Incomplete, Read: read, Total: max(total, read), Message: fmt.Sprintf("the %s is incomplete: %s of %s pages were read, the most that tonne reads",
		listing, model.FormatNumber(maxPages), model.FormatNumber(int64(pages)))}
}

// IsRefusal reports whether err is the service's refusal of a retirement call: a
// 422 whose body is whole JSON with a code that the interface names (section 7.1).
// A 422 with any other body may come from a gateway, after the call took effect.
func IsRefusal(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Status == http.StatusUnprocessableEntity && !e.damaged && refusalAt(e.Code) >= 0
}

func refusalAt(code string) int {
	return slices.IndexFunc(Refusals(), func(r Refusal) bool { return r.Code == code })
}

// Refusal is a code with which the service refuses to retire (interface section
// 7.1): what happened, and what to do before the next plan. A refused call had no
// effect.
type Refusal struct {
	Code, What, Todo string
	// OtherOrder says that no call can buy from the sell order.
	OtherOrder bool
}

const otherOrder = "a new plan takes another sell order"

// Refusals returns every code that the interface names.
func Refusals() []Refusal {
	return []Refusal{
		{"FRAC_QUANT_INVALID_NUMBER", "the quantity is not a whole number of grams", "give the quantity in tonnes or whole grams", false},
		{"FRAC_QUANT_LESS_THAN_EQ_ZERO", "the quantity is not above zero", "give a quantity above zero", false},
		{"SELL_ORDER_MISSING_EXP_PRICE", "the call named no price for the sell order", "a new plan names the price of each sell order", false},
		{"SELL_ORDER_EXP_PRICE_INVALID_NUMBER", "the price of the sell order cannot be read", otherOrder, true},
		{"SELL_ORDER_EXP_PRICE_LESS_THAN_EQ_ZERO", "the price of the sell order is not above zero", otherOrder, true},
		{"VINTAGE_ID_NOT_EXISTS", "the service does not know the vintage", "check the id in the market", false},
		{"MISSING_SELL_ORDER_ID", "the wallet has less than was planned with", "a new plan buys what is missing", false},
		{"PRICE_SUPPLIED_DIFF_CURRENT_PRICE", "the price moved", "a new plan shows the new price", false},
		{"QUANT_TONNES_INVALID_NUMBER", "a customer's retirement is in whole tonnes", "give whole tonnes", false},
		{"QUANT_TONNES_TOO_LOW", "a customer's retirement is at least one tonne", "give one tonne or more", false},
		{"SELL_ORDER_NOT_EXISTS", "the sell order is gone", otherOrder, true},
		{"SELL_ORDER_NOT_LIVE", "the sell order was sold or withdrawn", otherOrder, true},
		{"SELL_ORDER_SUPPLY_TOO_LOW", "another buyer bought from the sell order", "a new plan uses what is left", false},
		{"VINTAGE_SUPPLIED_DIFF_SELL_ORDER_VINTAGE", "the sell order is of another vintage", otherOrder, true},
		{"PURCHASE_OWN_CREDITS", "the sell order is your own", otherOrder, true},
		{"INVOICE_NOT_LIVE", "this month's invoice is settled and takes no purchases", "wait for next month, or ask the service's operator", false},
	}
}

// RefusalOf returns why a call was refused. A code that the interface does not
// name is returned with the message of the service.
func RefusalOf(err error) Refusal {
	other := Refusal{What: "the service refused it", Todo: "a new plan may be accepted; otherwise ask the service's operator"}
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return other
	}
	if at := refusalAt(e.Code); at >= 0 {
		return Refusals()[at]
	}
	if other.Code = e.Code; e.Message != "" {
		other.What += ": " + e.Message
	}
	return other
}
