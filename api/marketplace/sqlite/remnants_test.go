package sqlite

import "testing"

// Orders with less than a tonne that an older version left in the market are
// sold, and what was left of them is their seller's.
func TestUpgradeReturnsSmallOrdersToTheirSellers(t *testing.T) {
	t.Parallel()
	d := openOlder(t, 2, `
		INSERT INTO registries VALUES (1, '005a', 'VERRA');
		INSERT INTO projects VALUES (1, '003a', 'A', 'Wind', 'AR', 1, '', '', '', 3), (2, '003b', 'B', 'Wind', 'AR', 1, '', '', '', 1);
		INSERT INTO vintages VALUES (1, '004a', 1, 2020, '', 1, 1), (2, '004b', 2, 2020, '', 1, 1);
		INSERT INTO tenants (number, name) VALUES (1, 'Seller');
		INSERT INTO wallets VALUES (1, 1, 1, 'CAAS', 5);
		INSERT INTO sell_orders VALUES (1, '006a', 1, 1, 1, 'LIVE', 9, 1000000, NULL), (2, '006b', 1, 1, 1, 'LIVE', 9, 999999, NULL),
			(3, '006c', 1, 1, 1, 'LIVE', 9, 20, NULL), (4, '006d', 2, 2, 1, 'LIVE', 9, 300, NULL),
			(5, '006e', 1, 1, 1, 'WITHDRAWN', 9, 300, 1);`)
	for sql, want := range map[string]string{
		"SELECT group_concat(id || ' ' || state || ' ' || quantity_grams, ', ') FROM (SELECT * FROM sell_orders ORDER BY number)": "006a LIVE 1000000, 006b SOLD 0, 006c SOLD 0, 006d SOLD 0, 006e WITHDRAWN 300",
		"SELECT group_concat(vintage || ': ' || quantity_grams, ', ') FROM (SELECT * FROM wallets ORDER BY vintage)":              "1: 1000024, 2: 300",
		"SELECT group_concat(sell_order || ': ' || quantity_grams, ', ') FROM (SELECT * FROM transfers ORDER BY number)":          "2: 999999, 3: 20, 4: 300",
		"SELECT group_concat(live_orders, ', ') FROM (SELECT * FROM projects ORDER BY number)":                                    "1, 0",
		"SELECT version || ' ' || listing FROM market_state":                                                                      "2 2",
	} {
		if got := text(t, d, sql); got != want {
			t.Errorf("%s\nis %s, want %s", sql, got, want)
		}
	}
}
