package retire

import (
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"tonne/model/journal"
)

// Whatever the service answers, and whenever the program is killed, behind an
// answer that is not written down as well: a batch that is run again until all is
// known has had the effect of each call that is done once, and of no other.
func TestEachCallOfABatchHasItsEffectOnceOrNotAtAll(t *testing.T) {
	t.Parallel()
	batches := *chanceRuns / lines
	synctest.Test(t, func(t *testing.T) {
		service := newUnreliable()
		desk := newDesk(t, service)
		askedAgain := 0
		for n := range batches {
			service.calm = false
			for range 1 + service.IntN(4) {
				desk.liveOrDie(t, func() { desk.sendBatch(t, n) })
				askedAgain += desk.checkBatch(t, n)
			}
			service.calm = true
			desk.sendBatch(t, n)
			if left := desk.checkBatch(t, n); left > 0 {
				t.Fatalf("batch %d: %d calls are not known though the service answers", n, left)
			}
		}
		if askedAgain < batches/10 {
			t.Errorf("%d calls were done and not written down, in %d batches", askedAgain, batches)
		}
		time.Sleep(lateCommit)
		service.catchUp()
		all, err := desk.Journal.All(account)
		if err != nil || len(all) != batches*lines {
			t.Fatalf("%d calls, %v", len(all), err)
		}
		for _, call := range all {
			desk.check(t, call.ExternalID)
		}
	})
}

// lines is how many calls a batch has.
const lines = 5

func lineID(batch, n int) string { return fmt.Sprintf("batch-%d-%d", batch, n) }

// sendBatch sends the calls of a batch that have not ended, as `tonne retire` does:
// first those of a run before, then the rest, until one stays unknown.
func (d *testDesk) sendBatch(t *testing.T, batch int) {
	var fresh []string
	for n := range lines {
		id := lineID(batch, n)
		call, err := d.Journal.Call(account, id)
		switch {
		case errors.Is(err, journal.ErrNoCall):
			fresh = append(fresh, id)
		case err != nil:
			t.Error(err)
		case call.Open():
			if o, err := d.Send(t.Context(), id); err != nil || o.State != journal.Done && o.State != journal.Refused {
				return
			}
		}
	}
	written := d.Journal.Together()
	for _, id := range fresh {
		o, err := d.SendNew(t.Context(), callOf(id))
		if err != nil {
			t.Errorf("%s: %v", id, err)
		}
		if !d.service.calm && d.service.IntN(8) == 0 {
			runtime.Goexit()
		}
		if o.State != journal.Done && o.State != journal.Refused {
			break
		}
	}
	if err := written(); err != nil {
		t.Error(err)
	}
}

// checkBatch compares the journal with the books of the service, and returns how
// many calls had their effect and are not known to be done.
func (d *testDesk) checkBatch(t *testing.T, batch int) (unknown int) {
	t.Helper()
	for n := range lines {
		id := lineID(batch, n)
		switch call, err := d.Journal.Call(account, id); {
		case errors.Is(err, journal.ErrNoCall):
			if d.service.books[id] > 0 {
				t.Fatalf("%s had its effect, and the journal does not know it", id)
			}
		case err != nil:
			t.Fatal(err)
		default:
			if d.check(t, id) != journal.Done && call.Open() && d.service.books[id] > 0 {
				unknown++
			}
		}
	}
	return unknown
}
