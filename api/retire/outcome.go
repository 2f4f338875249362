package retire

import (
	"context"
	"errors"
	"fmt"

	"tonne/api"
	"tonne/model/advice"
)

// Result is the kind of an Outcome.
type Result int8

// The results. A Waiting call was not sent in this run. A TurnedAwayCall was rejected by a
// status that may come from a proxy in front of a service that did carry it out.
const (
	Waiting Result = iota
	Succeeded
	MadeElsewhere
	NotAccepted
	OutcomeUnknown
	TurnedAwayCall
	NotDone
)

// Outcome is the outcome of a call in this run, in words.
type Outcome struct {
	Result Result
	// What is a phrase, and Note a sentence or empty.
	What, Note string
	// Todo is advice, without a full stop. It may be empty.
	Todo advice.Text
	// Refusal is the reason if the service refused the call. Otherwise it is empty.
	Refusal api.Refusal
}

// Outcome returns the outcome of the call.
func (c *Call) Outcome() Outcome {
	_, local := errors.AsType[*Problem](c.Err)
	away := TurnedAway(c.Err)
	switch refusal := api.RefusalOf(c.Err); {
	case c.Elsewhere:
		return Outcome{Result: MadeElsewhere, What: Elsewhere(c.RequestID).what + " · nothing more was sent. " +
			"Compare it with your own records. To retire again, use another reference."}
	case c.State == Done:
		return Outcome{Result: Succeeded, What: "done · request " + c.RequestID + " · in your ledger"}
	case c.State == Refused && c.Unwritten == nil:
		return Outcome{NotAccepted, refusal.What + " · nothing was bought", "", advice.Plain(refusal.Todo), refusal}
	case c.Status() == StatusUnknown:
		o := Outcome{Result: OutcomeUnknown, What: "outcome unknown · " + Why(c.Err),
			Note: "It may have been carried out. Sent again with the same id, it is not carried out twice."}
		if local || errors.Is(c.Err, context.Canceled) {
			o.Todo = Todo(c.Err)
		}
		return o
	case c.Err == nil && c.State != Refused:
		return Outcome{Result: Waiting, What: "not sent"}
	case away > 0:
		what := fmt.Sprintf("rejected with HTTP status %d · %s · if sent again, it keeps its id", away, Why(c.Err))
		return Outcome{Result: TurnedAwayCall, What: what, Todo: Todo(c.Err)}
	}
	return Outcome{Result: NotDone, What: "not done · " + Why(c.Err) + " · nothing was bought", Todo: Todo(c.Err)}
}

// Why returns an error of the workflow as a phrase.
func Why(err error) string {
	problem, ok := errors.AsType[*Problem](err)
	switch {
	case err == nil:
		return "no response"
	case ok:
		return problem.Error()
	case errors.Is(err, context.Canceled):
		return "the program is exiting"
	case api.IsRefusal(err):
		return api.RefusalOf(err).What
	case api.KindOf(err) == api.Invalid:
		return Reason(err)
	}
	return api.Brief(err)
}

// Todo returns the advice for an error of the workflow.
func Todo(err error) advice.Text {
	problem, ok := errors.AsType[*Problem](err)
	switch todo := api.Advice(err); {
	case ok:
		return problem.Todo
	case errors.Is(err, context.Canceled):
		return advice.Plain("Start tonne again: it shows the calls of the journal that were sent")
	case !todo.IsEmpty():
		return todo
	}
	return advice.Plain("Try again. If it fails again, ask the administrator of this machine")
}
