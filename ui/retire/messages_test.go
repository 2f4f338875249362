package retire

import (
	"strings"
	"testing"

	"tonne/api"
	"tonne/api/retire"
)

func TestPlanFromOneOrderShowsSavingOfSeveralOrders(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.flow.supply = offers(600, 0)
	p.plans("11")
	p.SeesNot("together cost")
	p = newPerson(t)
	p.flow.supply = offers(10, 0)
	p.plans("11")
	p.Sees("$71.61", "The cheapest orders together cost $3.10 less: retire in parts")
}

// If the dialog is closed, the message in the footer is the only report.
func TestMessageReportsPartRetiredBeforeFailure(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, says string
		second     func(int, func(int, error)) (retire.Call, error)
	}{
		{"refused", "then another buyer bought from the sell order · nothing was bought.", refusedWith("SELL_ORDER_SUPPLY_TOO_LOW")},
		{"outcome unknown", "then outcome unknown · ", silent},
		{"rejected", "then rejected with HTTP status 429 · too many requests · if sent again, it keeps its id · U sends it again with the same id.", func(int, func(int, error)) (retire.Call, error) {
			return retire.Call{State: retire.Sent, TurnedAway: 429, Err: &api.Error{Kind: api.RateLimited, Status: 429}}, nil
		}},
		{"not sent", "then not done · the journal cannot be written · nothing was bought.", fails(retire.Call{}, retire.ErrDisk)},
	} {
		p := newPerson(t)
		p.flow.outcome = func(n int, again func(int, error)) (retire.Call, error) {
			if n == 1 {
				return accepted(n, again)
			}
			return test.second(n, again)
		}
		p.retires("900.5")
		first := tonnes(p.flow.sent[0].Plan.Quantity)
		if said := p.Said[len(p.Said)-1]; !strings.HasPrefix(said, "Retired "+first+" of 900.5 t; "+test.says) {
			t.Errorf("%s: %q", test.name, said)
		}
	}
}
