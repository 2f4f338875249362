package filing

import (
	"testing"

	"tonne/api/audit"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

func TestStatesThatAreWaitedFor(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		state audit.WaitState
		want  string
	}{
		{audit.WaitState{Open: 1, Statuses: map[retirement.Status]int{"OPEN": 1}}, "1 OPEN"},
		{audit.WaitState{Open: 3, Statuses: map[retirement.Status]int{"PAUSED": 2}},
			"2 PAUSED (not a state of the life cycle), 1 not looked up"},
		{audit.WaitState{Open: 1, Statuses: map[retirement.Status]int{"": 1}},
			"1 without a state (not a state of the life cycle)"},
	} {
		must.Equal(t, statusList(tt.state), tt.want)
	}
}
