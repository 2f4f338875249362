package wire

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/model/texttest"
)

// TestBodiesAreRead reads the bodies of testdata/decode.txtar, which begin with the name of a decoder.
func TestBodiesAreRead(t *testing.T) {
	texttest.Run(t, "decode", func(_ *testing.T, text string) string {
		return texttest.Answers(text, func(input string) string {
			name, body, _ := strings.Cut(input, " ")
			if name == "failure" {
				return texttest.Show(DecodeFailure([]byte(body)))
			}
			if name == "parse" {
				return parsed([]byte(body))
			}
			read, err := decoders[name].read([]byte(body))
			if err != nil {
				return err.Error()
			}
			return texttest.Show(read)
		})
	})
}

// parsed returns the members of a request that texts and flags were asked for.
func parsed(body []byte) (all string) {
	r, err := ParseRequest(body)
	if errors.Is(err, ErrNotObject) {
		return "no object"
	}
	for _, name := range append(slices.Sorted(maps.Keys(r)), "missing") {
		text, noText := r.Text(name)
		flag, noFlag := r.Flag(name)
		all += fmt.Sprintf("%s: %q %v; %t %v\n", name, text, noText, flag, noFlag)
	}
	return all
}

// A market is read while the user types. The test leaves one
// processor to the program.
func TestOthersTakeTheirTurnWhileAMarketIsRead(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const vintages = 10_000
	var listed []string
	for v := range vintages {
		listed = append(listed,
			fmt.Sprintf(`{"vintage_id":"v%d","vintage_year":2020,"sell_orders":[{"sell_order_id":"o%d","quantity_grams":"1000000","price_cents":"500"}]}`, v, v))
	}
	body := []byte(`{` + pagination + `,"projects":[{"project_id":"p","vintages":[` + strings.Join(listed, ",") + `]}]}`)
	var page *market.Page
	decoding := turnsBeside(func() {
		var err error
		page, _, err = DecodeMarket(body)
		must.Succeed(t, err)
	})
	joining := turnsBeside(func() {
		must.Equal(t, market.New(page).Vintages(), vintages)
	})
	for work, turns := range map[string]int64{"decoded": decoding, "joined": joining} {
		must.Hold(t, turns >= vintages/200, "while", vintages, work, turns)
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
