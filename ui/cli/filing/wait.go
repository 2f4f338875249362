package filing

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tonne/api/audit"
	"tonne/model"
	"tonne/model/advice"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
)

func (r *EvidenceRun) tellWaiting(w audit.WaitState) {
	r.App.ClearProgress()
	of := fmt.Sprintf("%d of %s", w.Open, model.Count(w.Total, "request", "requests"))
	r.App.Note(
		command.Notice{
			Code: command.InformationCode,
			Message: fmt.Sprintf("waiting up to %s for an end state (%s or %s) of %s: %s",
				FormatWait(w.Left), retirement.Complete, retirement.NothingToProcess, of, statusList(w)),
		},
	)
}

// statusList lists the states that are waited for, and says which of them tonne does not know.
func statusList(w audit.WaitState) string {
	var words []string
	known := 0
	for _, status := range slices.Sorted(maps.Keys(w.Statuses)) {
		n := w.Statuses[status]
		word := fmt.Sprintf("%d %s", n, cmp.Or(status, "without a state"))
		if !status.Known() {
			word += " (not a state of the life cycle)"
		}
		words, known = append(words, word), known+n
	}
	if unread := w.Open - known; unread > 0 {
		words = append(words, fmt.Sprintf("%d not looked up", unread))
	}
	return strings.Join(words, ", ")
}

// FormatWait formats a duration of a wait in whole seconds, without zeros at its end.
func FormatWait(d time.Duration) string {
	text := d.Round(time.Second).String()
	for _, zeros := range [...]string{"m0s", "h0m"} {
		if rest, ok := strings.CutSuffix(text, zeros); ok {
			text = rest + zeros[:1]
		}
	}
	return text
}

// StillWaiting returns the failure of a wait that ended before all end states, or nil.
func (r *EvidenceRun) StillWaiting(waited time.Duration) *command.Failure {
	w := audit.WaitState{Total: len(r.Answers), Statuses: make(map[retirement.Status]int)}
	for _, a := range r.Answers {
		if a.Waiting {
			w.Open++
			w.Statuses[a.Retirement.Status]++
		}
	}
	if w.Open == 0 {
		return nil
	}
	return &command.Failure{
		What: advice.Format(
			"%d of %s not in an end state after %s: %s",
			w.Open,
			model.Count(w.Total, "request", "requests"),
			FormatWait(waited),
			statusList(w),
		),
		Todo:   advice.Plain("run it again later, with a longer --wait-timeout, or ask the marketplace"),
		Status: command.StatusUnreachable,
	}
}

func have(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}
