package marketplace

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"

	"tonne/api/marketplace/exchange"
)

// crew is several clients and an operator at work at the same time.
type crew struct {
	*fixture
	order string
}

// work does something that depends on what another of the crew may be changing.
func (c *crew) work(random *rand.Rand, name string) error {
	key := []string{c.key, c.otherKey}[random.IntN(2)]
	switch random.IntN(10) {
	case 0:
		_, err := c.closeMonth()
		return err
	case 1, 2, 3:
		open, err := c.invoices(exchange.BillFilter{Open: true})
		if err != nil || len(open) == 0 {
			return err
		}
		return c.settle(open[random.IntN(len(open))].ID)
	case 4:
		_, err := c.CreateKey(c.t.Context(), "Keys Ltd", "", name)
		return err
	}
	grams := "1000000"
	if random.IntN(2) == 0 {
		grams = "1700000"
	}
	w := c.retire(key, body{"vintage_id": c.vintages[0].id, "quantity_grams": grams, "external_id": name,
		"sell_order_id": c.order, "expected_price_cents": "620"})
	if w.Code != http.StatusOK && w.Code != http.StatusUnprocessableEntity && w.Code != http.StatusServiceUnavailable {
		return fmt.Errorf("%d %s", w.Code, w.Body)
	}
	return nil
}

// Changes at the same time leave what one after the other would leave: nothing
// is booked into a month that has ended, no request waits for an invoice that
// was paid meanwhile, and no tenant gets a third key.
func TestChangesAtTheSameTimeLeaveNothingBetweenThem(t *testing.T) {
	t.Parallel()
	c := &crew{fixture: openFixture(t, tempDatabase(t), Options{RatePerSecond: -1})}
	c.order = c.sell(c.vintages[0], 1_000_000, 620)
	each := 60
	if raceDetector {
		each = 15
	}
	var wg sync.WaitGroup
	for worker := range 8 {
		random := rand.New(rand.NewPCG(7, uint64(worker)))
		wg.Go(func() {
			for n := range each {
				err := c.work(random, fmt.Sprint(worker, "-", n))
				if err != nil && !errors.Is(err, exchange.ErrNotCommitted) && !errors.Is(err, exchange.ErrLocked) &&
					!errors.Is(err, exchange.ErrAlreadySettled) && !errors.Is(err, exchange.ErrMaxKeys) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for name, broken := range map[string]string{
		"an invoice takes purchases of a month that has ended": `SELECT count(*) FROM invoices i JOIN periods p ON p.number = i.period
			WHERE i.state = 'LIVE' AND p.closed_at IS NOT NULL`,
		"a request gathers fractions of a month that has ended": `SELECT count(*) FROM retirement_requests r JOIN periods p ON p.number = r.period
			WHERE r.status = 'OPEN' AND p.closed_at IS NOT NULL`,
		"a request waits for nothing": `SELECT count(*) FROM retirement_requests r WHERE r.status = 'CLOSED' AND NOT EXISTS
			(SELECT 1 FROM invoices i JOIN trades t ON t.invoice = i.number WHERE i.tenant = r.tenant AND i.state <> 'SETTLED'
				AND t.vintage = r.vintage AND t.number <= r.closed_after)`,
		"a third key": "SELECT count(*) FROM (SELECT tenant, role FROM api_keys WHERE is_active = 1 GROUP BY tenant, role HAVING count(*) > 2) k",
	} {
		if n := c.query(broken); n != 0 {
			t.Errorf("%s, %d times", name, n)
		}
	}
	checkBooks(t, c.fixture)
}
