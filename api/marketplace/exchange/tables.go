package exchange

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"
)

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

// Digest is what is in a table, in whatever order its rows come.
type Digest struct {
	Rows int64
	// Sum adds all integers up, modulo 2⁶⁴.
	Sum uint64
	// hash adds the SHA-256 of the rows up, modulo 2²⁵⁶.
	hash [4]uint64
}

// Hash is the hash of the rows in hexadecimal digits.
func (d Digest) Hash() string {
	return fmt.Sprintf("%016x%016x%016x%016x", d.hash[3], d.hash[2], d.hash[1], d.hash[0])
}

// add adds a row. Each of its values is hashed with its kind and its length,
// so that no two rows are hashed alike.
func (d *Digest) add(t table, values []any) {
	d.Rows++
	var row []byte
	for i, value := range values {
		row = append(row, byte(t.columns[i].kind))
		switch v := value.(type) {
		case nil:
			row = append(row, 0)
		case int64:
			d.Sum += uint64(v)
			row = binary.BigEndian.AppendUint64(append(row, 1), uint64(v))
		case bool:
			row = append(row, 1, 0)
			if v {
				row[len(row)-1] = 1
			}
		case string:
			row = append(binary.BigEndian.AppendUint64(append(row, 1), uint64(len(v))), v...)
		case []byte:
			row = append(binary.BigEndian.AppendUint64(append(row, 1), uint64(len(v))), v...)
		}
	}
	sum := sha256.Sum256(row)
	carry := uint64(0)
	for i := range d.hash {
		d.hash[i], carry = bits.Add64(d.hash[i], binary.LittleEndian.Uint64(sum[8*i:]), carry)
	}
}
