package marketplace

import (
	"net/http"
	"strings"
	"testing"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/postgres/postgrestest"
)

// fillUp makes a server answer as one does whose disk is full: what would make
// these tables larger fails.
const fillUp = `CREATE FUNCTION is_full() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
	CREATE TRIGGER is_full BEFORE INSERT ON retirement_items FOR EACH ROW EXECUTE FUNCTION is_full();
	CREATE TRIGGER is_full BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION is_full();`

func TestFullServerDiskRefusesPurchasesAndIsReported(t *testing.T) {
	t.Parallel()
	severalInstances(t)
	path := emptySchema(t)
	d := openFixture(t, path, Options{RatePerSecond: -1})
	order := d.sell(d.vintages[0], 100, 620)
	d.retired(body{"vintage_id": d.vintages[0].id, "quantity_grams": "500000", "external_id": "first", "sell_order_id": order, "expected_price_cents": "620"})
	market := d.get("/api/market").Body.String()
	if err := postgrestest.Run(t.Context(), path, fillUp); err != nil {
		t.Fatal(err)
	}
	if f := refused(t, d.purchase(order, "a"), http.StatusInternalServerError); !strings.Contains(f.Message, "no space is left") {
		t.Errorf("the client reads %q", f.Message)
	}
	d.wantUnready(exchange.ErrFull)
	if w := d.get("/api/market"); w.Code != http.StatusOK || w.Body.String() != market {
		t.Errorf("the market was %s, and is %d %s", market, w.Code, w.Body)
	}
	if err := postgrestest.Run(t.Context(), path, "DROP FUNCTION is_full() CASCADE"); err != nil {
		t.Fatal(err)
	}
	d.wantReady()
	if id, replayed := accepted(t, d.purchase(order, "a").Body.Bytes()); replayed {
		t.Errorf("%s was bought before, while the service refused it", id)
	}
	checkBooks(t, d)
}
