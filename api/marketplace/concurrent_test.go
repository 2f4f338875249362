package marketplace

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"

	"tonne/api/marketplace/exchange"
	"tonne/model"
	"tonne/model/longtest"
	must "tonne/model/musttest"
)

// work does something that depends on what others may be changing.
func work(d *fixture, random *rand.Rand, order, name string) error {
	switch random.IntN(10) {
	case 0:
		return d.Change(func(c *exchange.Change) { exchange.CloseMonth(c, exchange.CurrentPeriod(c).Number) })
	case 1, 2, 3:
		open, err := exchange.Read(d.Context(), d,
			func(tx exchange.Tx) []exchange.Bill { return exchange.Invoices(tx, exchange.BillFilter{Open: true}) })
		if err != nil || len(open) == 0 {
			return err
		}
		return d.Settle(open[random.IntN(len(open))].ID)
	case 4:
		_, err := d.CreateKey(d.Context(), "Keys Ltd", "", name)
		return err
	}
	grams := model.Grams(1_000_000 + 700_000*random.IntN(2))
	w := d.Retire([]string{d.Key, d.OtherKey}[random.IntN(2)], d.Purchase(name, grams, order))
	if w.Code != http.StatusOK && w.Code != http.StatusUnprocessableEntity && w.Code != http.StatusServiceUnavailable {
		return fmt.Errorf("%d %s", w.Code, w.Body)
	}
	return nil
}

// Concurrent changes leave the same as changes one after the other.
func TestConcurrentChangesAreSerialisable(t *testing.T) {
	eachEngine(t, func(t *testing.T, d *fixture) {
		order := d.Sell(d.Vintages[0], 1_000_000, 620)
		var wg sync.WaitGroup
		for worker := range 8 {
			random := rand.New(rand.NewPCG(7, uint64(worker)))
			wg.Go(func() {
				for n := range longtest.Runs(15, 60) {
					err := work(d, random, order, fmt.Sprint(worker, "-", n))
					must.Hold(t, err == nil || errors.Is(err, exchange.ErrNotCommitted) ||
						errors.Is(err, exchange.ErrLocked) || errors.Is(err, exchange.ErrAlreadySettled) ||
						errors.Is(err, exchange.ErrMaxKeys), err)
				}
			})
		}
		wg.Wait()
		d.CheckBooks()
	})
}

// Clients and operators that do the same at once, in the order of these tests.
func TestRaces(t *testing.T) {
	eachEngine(t, func(t *testing.T, d *fixture) {
		t.Run("the same external id ten times", func(t *testing.T) {
			order := d.Sell(d.Vintages[0], 100, 620)
			answers := make([]string, 10)
			var wg sync.WaitGroup
			for i := range answers {
				wg.Go(func() { answers[i] = d.purchase(order, "same").Body.String() })
			}
			wg.Wait()
			id := d.Text("SELECT id FROM retirement_requests")
			fresh := 0
			for _, answer := range answers {
				switch answer {
				case fmt.Sprintf(`{"retirement_request_id":%q,"external_id_already_processed":false}`, id):
					fresh++
				case fmt.Sprintf(`{"retirement_request_id":%q,"external_id_already_processed":true}`, id):
				default:
					t.Errorf("answered %s", answer)
				}
			}
			n := d.Number("SELECT count(*) FROM trades")
			must.Hold(t, fresh == 1 && n == 1, fresh, n)
			_, replayed := d.Accepted(d.Retire(d.OtherKey, d.Purchase("same", 1_000_000, order)))
			must.Hold(t, !replayed, "another tenant cannot use the same external id")
		})
		t.Run("fifty requests for the last tonne", func(t *testing.T) {
			order := d.Sell(d.Vintages[0], 1, 620)
			codes := make([]string, 50)
			var wg sync.WaitGroup
			for i := range codes {
				wg.Go(func() {
					w := d.purchase(order, fmt.Sprint(i))
					for w.Code == http.StatusServiceUnavailable {
						// On a busy machine, fifty in a row may wait too long for their turn.
						w = d.purchase(order, fmt.Sprint(i))
					}
					if w.Code != http.StatusOK {
						codes[i] = d.Refused(w, http.StatusUnprocessableEntity).Code
					}
				})
			}
			wg.Wait()
			count := make(map[string]int)
			for _, code := range codes {
				count[code]++
			}
			must.Hold(t, count[""] == 1 && count["SELL_ORDER_NOT_LIVE"] == 49, "bought, or refused with", count)
			d.CheckBooks()
		})
		t.Run("imports of the same new projects, without ids, add them once", func(t *testing.T) {
			const rounds = 3
			for round := range rounds {
				row := fmt.Sprintf(",Project %d of both,Wind,AR,VERRA,,,,,", round)
				var wg sync.WaitGroup
				for range 4 {
					wg.Go(func() { d.importOne(row + "2021,\n" + row + "2022,\n") })
				}
				wg.Wait()
			}
			must.Equal(t, d.Number("SELECT count(*) FROM projects WHERE name LIKE '% of both'"), rounds)
			n := d.Number("SELECT count(*) FROM vintages v JOIN projects p ON p.number = v.project WHERE p.name LIKE '% of both'")
			must.Equal(t, n, 2*rounds)
		})
		t.Run("a serial number is used once", func(t *testing.T) {
			const rounds = 3
			for round := range rounds {
				requests := []string{d.InProgress(fmt.Sprint("a", round), 3), d.InProgress(fmt.Sprint("b", round), 3)}
				errs := make([]error, len(requests))
				var wg sync.WaitGroup
				for i, id := range requests {
					wg.Go(func() {
						// The ranges overlap.
						start := 100*round + 1 + i
						errs[i] = d.CompleteAs(t.Context(), id, exchange.Registered{Serials: []string{serial(start, start+2)}})
					})
				}
				wg.Wait()
				must.Hold(t, (errs[0] == nil) != (errs[1] == nil), "the same credits were retired by two requests",
					errs)
			}
			must.Equal(t, d.Number("SELECT count(*) FROM serial_numbers"), rounds)
		})
		t.Run("a failed statement ends only its change, also if nothing is read after it", func(t *testing.T) {
			var wg sync.WaitGroup
			for n := range 32 {
				wg.Go(func() {
					err := d.Change(func(c *exchange.Change) {
						c.Audit("tried", "", fmt.Sprint(n))
						if n%2 == 0 {
							c.Do("UPDATE tenants SET name = NULL WHERE number = $1", d.Tenant)
						}
						c.Audit("tried", "", fmt.Sprint(n))
					})
					must.Equal(t, err == nil, n%2 == 1, "change", n, err)
				})
			}
			wg.Wait()
			for n := range 32 {
				want := int64(n % 2 * 2)
				kept := d.Number("SELECT count(*) FROM audit WHERE action = 'tried' AND detail = $1", fmt.Sprint(n))
				must.Equal(t, kept, want, n)
			}
		})
	})
}
