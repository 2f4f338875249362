package exchange

import "strings"

// table is a table with what its columns hold, so that it can be read from one
// engine and written to another.
type table struct {
	name    string
	columns []column
}

type column struct {
	name string
	kind kind
}

// kind is what a column holds.
type kind byte

const (
	integer kind = 'i'
	text    kind = 't'
	boolean kind = 'b'
	blob    kind = 'x'
)

// marketVersions is what followMarket makes go on; market_state sums it up.
var marketVersions = columnsOf("market_projects", "project version listing mark")

// tables are all the others.
// What a row refers to stands in a table before its own.
var tables = []table{
	columnsOf("registries", "number id:t name:t"),
	columnsOf("projects", "number id:t name:t type:t country:t registry registry_number:t registry_url:t description:t live_orders"),
	columnsOf("project_sdgs", "project position name:t"),
	columnsOf("former_projects", "number project until name:t type:t country:t registry_name:t registry_number:t registry_url:t"),
	columnsOf("vintages", "number id:t project year registry_url:t next_serial serial_batch"),
	columnsOf("tenants", "number name:t tax_id:t country:t role:t"),
	columnsOf("api_keys", "number id:t tenant role:t name:t lookup hash:x created_at is_active"),
	columnsOf("sell_orders", "number id:t project vintage seller state:t price_cents quantity_grams ended_at"),
	columnsOf("transfers", "number tenant vintage sell_order type:t quantity_grams at"),
	columnsOf("periods", "number month:t opened_at closed_at"),
	columnsOf("invoices", "number id:t tenant period state:t total_cents settled_at"),
	columnsOf("wallets", "tenant project vintage type:t quantity_grams"),
	columnsOf("trades", "number id:t tenant vintage wallet_type:t sell_order invoice type:t quantity_grams price_cents executed_at"),
	columnsOf("retirement_requests", "number id:t tenant vintage period type:t status:t total_grams external_customer:b created_at closed_at "+
		"closed_after retired_at certificate:t"),
	columnsOf("retirement_items", "number id:t request quantity_grams created_at retiree_name:t retiree_tax_id:t retiree_country:t "+
		"external_retiree_id:t trade"),
	columnsOf("external_ids", "tenant external_id:t request item"),
	columnsOf("serial_numbers", "request position serial:t tonnes"),
	columnsOf("certificate_files", "request pdf:x"),
	columnsOf("audit", "number at actor:t action:t subject:t detail:t"),
	columnsOf("demo_vintages", "vintage seller base_cents fair_cents"),
}

func columnsOf(name, columns string) table {
	t := table{name: name}
	for field := range strings.FieldsSeq(columns) {
		of, k, found := strings.Cut(field, ":")
		c := column{of, integer}
		if found {
			c.kind = kind(k[0])
		}
		t.columns = append(t.columns, c)
	}
	return t
}
