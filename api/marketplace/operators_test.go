package marketplace

import (
	"fmt"
	"sync"
	"testing"

	"tonne/api/marketplace/exchange"
)

// Two who import the same new projects at the same time, without ids, mean the
// same ones: one of both finds them there.
func TestTwoImportsAtTheSameTimeAddAProjectOnce(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	const rounds, operators = 5, 4
	for round := range rounds {
		row := fmt.Sprintf(",Project %d of both,Wind,AR,VERRA,,,,,2021,\n", round)
		var wg sync.WaitGroup
		for range operators {
			wg.Go(func() {
				if _, err := d.importCatalogue(row + row[:len(row)-6] + "2022,\n"); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	if n := d.query("SELECT count(*) FROM projects WHERE name LIKE '% of both'"); n != rounds {
		t.Errorf("%d projects are there, want %d", n, rounds)
	}
	if n := d.query("SELECT count(*) FROM vintages v JOIN projects p ON p.number = v.project WHERE p.name LIKE '% of both'"); n != 2*rounds {
		t.Errorf("%d vintages are there, want %d", n, 2*rounds)
	}
}

// A registry retires a serial number once: of two who give it to two requests at
// the same time one is refused.
func TestASerialNumberIsGivenOnceByTwoAtTheSameTime(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	const rounds = 5
	for round := range rounds {
		requests := []string{d.inProgress(fmt.Sprint("a", round), 3), d.inProgress(fmt.Sprint("b", round), 3)}
		errs := make([]error, len(requests))
		var wg sync.WaitGroup
		for i, id := range requests {
			wg.Go(func() {
				// The ranges overlap.
				start := 100*round + 1 + i
				errs[i] = d.CompleteAs(t.Context(), id, exchange.Registered{Serials: []string{verra(start, start+2)}})
			})
		}
		wg.Wait()
		if (errs[0] == nil) == (errs[1] == nil) {
			t.Errorf("the same credits were retired by two requests: %v", errs)
		}
	}
	if n := d.query("SELECT count(*) FROM serial_numbers"); n != rounds {
		t.Errorf("%d ranges are there, want %d", n, rounds)
	}
}
