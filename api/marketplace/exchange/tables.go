package exchange

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"
)

// table is a table that is read from one engine and written to another.
type table struct {
	name    string
	columns []string
}

// marketVersions is what followMarket makes go on; market_state sums it up.
var marketVersions = columnsOf("market_projects", "project version listing mark")

// tables are all the others.
// What a row refers to stands in a table before its own.
var tables = []table{
	columnsOf("registries", "number id name"),
	columnsOf("projects", "number id name type country registry registry_number registry_url description live_orders"),
	columnsOf("project_sdgs", "project position name"),
	columnsOf("former_projects", "number project until name type country registry_name registry_number registry_url"),
	columnsOf("vintages", "number id project year registry_url next_serial serial_batch"),
	columnsOf("tenants", "number name tax_id country role"),
	columnsOf("api_keys", "number id tenant role name lookup hash created_at is_active"),
	columnsOf("sell_orders", "number id project vintage seller state price_cents quantity_grams ended_at"),
	columnsOf("transfers", "number tenant vintage sell_order type quantity_grams at"),
	columnsOf("periods", "number month opened_at closed_at"),
	columnsOf("invoices", "number id tenant period state total_cents settled_at"),
	columnsOf("wallets", "tenant project vintage type quantity_grams"),
	columnsOf("trades", "number id tenant vintage wallet_type sell_order invoice type quantity_grams price_cents executed_at"),
	columnsOf("retirement_requests", "number id tenant vintage period type status total_grams external_customer created_at closed_at "+
		"closed_after retired_at certificate"),
	columnsOf("retirement_items", "number id request quantity_grams created_at retiree_name retiree_tax_id retiree_country "+
		"external_retiree_id trade"),
	columnsOf("external_ids", "tenant external_id request item"),
	columnsOf("serial_numbers", "request position serial tonnes"),
	columnsOf("certificate_files", "request pdf"),
	columnsOf("audit", "number at actor action subject detail"),
	columnsOf("demo_vintages", "vintage seller base_cents fair_cents"),
}

func columnsOf(name, columns string) table { return table{name, strings.Fields(columns)} }

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

// add adds a row, and returns the bytes that it hashed. Each value is hashed with
// its kind and its length, so that no two rows are hashed alike.
func (d *Digest) add(values []any) int {
	d.Rows++
	var row []byte
	for _, value := range values {
		switch v := value.(type) {
		case nil:
			row = append(row, 0)
		case int64:
			d.Sum += uint64(v)
			row = binary.BigEndian.AppendUint64(append(row, 'i'), uint64(v))
		case string:
			row = append(binary.BigEndian.AppendUint64(append(row, 't'), uint64(len(v))), v...)
		case []byte:
			row = append(binary.BigEndian.AppendUint64(append(row, 'x'), uint64(len(v))), v...)
		}
	}
	sum := sha256.Sum256(row)
	carry := uint64(0)
	for i := range d.hash {
		d.hash[i], carry = bits.Add64(d.hash[i], binary.LittleEndian.Uint64(sum[8*i:]), carry)
	}
	return len(row)
}
