package wire

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"tonne/model/market"
)

// A market is read while the user types. The test is not parallel: it leaves one
// processor to the program.
func TestOthersTakeTheirTurnWhileAMarketIsRead(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const vintages = 10_000
	var listed []string
	for v := range vintages {
		listed = append(listed, fmt.Sprintf(`{"vintage_id":"v%d","vintage_year":2020,"sell_orders":[{"sell_order_id":"o%d","quantity_grams":"1000000","price_cents":"500"}]}`, v, v))
	}
	body := []byte(`{` + pagination + `,"projects":[{"project_id":"p","vintages":[` + strings.Join(listed, ",") + `]}]}`)
	var page *market.Page
	decoding := turnsBeside(func() {
		var err error
		if page, _, err = DecodeMarket(body); err != nil {
			t.Fatal(err)
		}
	})
	joining := turnsBeside(func() {
		if got := market.New(page).Vintages(); got != vintages {
			t.Fatalf("the market has %d vintages", got)
		}
	})
	for work, turns := range map[string]int64{"decoded": decoding, "joined": joining} {
		if turns < vintages/200 {
			t.Errorf("while %d vintages are %s others have %d turns", vintages, work, turns)
		}
	}
}

// turnsBeside counts how often a goroutine that is always ready runs during a
// work.
func turnsBeside(work func()) int64 {
	var turns atomic.Int64
	var done atomic.Bool
	var others sync.WaitGroup
	others.Go(func() {
		for !done.Load() {
			turns.Add(1)
			runtime.Gosched()
		}
	})
	runtime.Gosched()
	before := turns.Load()
	work()
	taken := turns.Load() - before
	done.Store(true)
	others.Wait()
	return taken
}
