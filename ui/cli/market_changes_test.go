package cli

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	must "tonne/model/musttest"
	"tonne/ui/cli/command"
)

// changingMarket has two pages of one project each. A third project is listed once page 1 was
// read, so that the market is read again; later gives the orders of the second read.
func changingMarket(first, later [2]string) http.HandlerFunc {
	var reads atomic.Int32
	return func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/api/market") {
			fmt.Fprint(w, `{"projects":[],"pagination":{"per_page":20,"total_pages":1,"total_items":0,"current_page":1}}`)
			return
		}
		page, n := 1, int32(0)
		if r.URL.Query().Get("page") == "2" {
			page, n = 2, reads.Load()
		} else {
			n = reads.Add(1)
		}
		orders, total := first, 2+page-1
		if n > 1 {
			orders, total = later, 2
		}
		fmt.Fprintf(w,
			`{"projects":[{"project_id":"P%d","vintages":[{"vintage_id":"V%d","vintage_year":2020,"sell_orders":[%s]}]}],`+
				`"pagination":{"per_page":1,"total_pages":2,"total_items":%d,"current_page":%d}}`, page, page, orders[page-1],
			total, page)
	}
}

func TestRowsThatChangeWhileTheMarketIsReadAreCounted(t *testing.T) {
	t.Parallel()
	order := func(id, price string) string {
		return fmt.Sprintf(`{"sell_order_id":%q,"quantity_grams":"1000000","price_cents":%q}`, id, price)
	}
	two := order("A", "5") + "," + order("B", "6")
	for _, tt := range []struct {
		name         string
		args         string
		first, later [2]string
		status       int
		says         string
		printed      int
	}{
		{"nothing changed", "-o csv", [2]string{two, order("C", "7")}, [2]string{two, order("C", "7")}, command.StatusDone,
			"", 4},
		{"a price changed", "-o csv", [2]string{two, order("C", "7")},
			[2]string{order("A", "5") + "," + order("B", "9"), order("C", "7")},
			command.StatusUnreachable, "1 printed row is no longer true; 1 row was not printed", 4},
		{"a price changed", "-o jsonl", [2]string{two, order("C", "7")},
			[2]string{order("A", "1") + "," + order("B", "9"), order("C", "7")},
			command.StatusUnreachable, "2 printed rows are no longer true; 2 rows were not printed", 3},
		{"an order vanished", "-o csv", [2]string{two, order("C", "7")}, [2]string{order("A", "5"), order("C", "7")},
			command.StatusUnreachable, "1 printed row is no longer true.", 4},
		{"an order appeared", "-o csv", [2]string{order("A", "5"), order("C", "7")}, [2]string{two, order("C", "7")},
			command.StatusUnreachable, "1 row was not printed.", 3},
		{"a change in a column that is not printed", "-o csv --columns sell_order_id", [2]string{two, order("C", "7")},
			[2]string{order("A", "1") + "," + order("B", "2"), order("C", "7")}, command.StatusDone, "", 4},
		{"JSON is read again", "-o json", [2]string{two, order("C", "7")}, [2]string{order("A", "1"), order("C", "7")},
			command.StatusDone, "", 4},
		{"sorted rows are read again", "-o csv --sort price_cents", [2]string{two, order("C", "7")},
			[2]string{order("A", "1"), order("C", "7")},
			command.StatusDone, "", 3},
	} {
		t.Run(tt.name+" "+tt.args, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, changingMarket(tt.first, tt.later))
			r := w.run(append([]string{"market"}, strings.Fields(tt.args)...)...)
			must.Hold(t,
				r.status == tt.status && strings.Contains(r.stderr, tt.says) && strings.Count(r.stdout, "\n") == tt.printed,
				"status", r.status, r.stderr, r.stdout)
			must.Hold(t, tt.says != "" || !strings.Contains(r.stderr, "printed"), r.stderr)
		})
	}
}
