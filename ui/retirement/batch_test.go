package retirement

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tonne/api/session"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/ui/uitest"
)

// Batch fills the ledger with a batch of three requests and two other requests.
func (r *robot) Batch() {
	r.Pastes(idA + " 00mbatch0000000001 00mbatch0000000002 00mbatch0000000003 " + idB)
	r.found(uitest.Retirement(idA, retirement.Complete), uitest.Retirement("00mbatch0000000003", retirement.Closed))
	journal := make(map[string]retirement.Journaled)
	for n := range 3 {
		if n < 2 {
			answer := uitest.Retirement(fmt.Sprintf("00mbatch000000000%d", n+1), retirement.Complete)
			answer.SerialNumbers = []string{fmt.Sprintf("19334-%d-%d-VCS-VCU-576-VER-ET-14-1340-01012019-31122019-1", 1+n*20_000, n*20_000+15_000)}
			answer.Items = answer.Items[:1]
			answer.Items[0].Quantity = answer.TotalQuantity
			r.found(answer)
		}
		journal[fmt.Sprintf("00mbatch000000000%d", n+1)] = retirement.Journaled{References: []string{fmt.Sprintf("Q4/%d", n)}, Batch: "q4.csv"}
	}
	journal[idA] = retirement.Journaled{Batch: "alone.csv"}
	r.Hear(session.AnnotationsEvent{Journal: journal})
}

func TestBatchStaysTogetherWhenSorted(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	r.Batch()
	r.Press("g", "g", "j", "enter")
	for _, column := range []string{"id", "state", "label", "quantity"} {
		for _, descending := range []bool{false, true} {
			r.tab.panes.ledger.Table.Sort(column, descending)
			var keys []string
			for key := range r.tab.panes.ledger.Table.Rows() {
				keys = append(keys, key)
			}
			at := slices.IndexFunc(keys, func(key string) bool { return strings.HasPrefix(key, "batch") })
			must.Hold(t, len(keys) == 6 && at <= 2 &&
				!slices.ContainsFunc(keys[at+1:at+4], func(key string) bool { return !strings.HasPrefix(key, "00mbatch") }),
				column, descending, keys)
		}
	}
}
