package exchange

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"strings"
)

var (
	// ErrNotEmpty is returned for a target with data.
	ErrNotEmpty = errors.New("the target database is not empty")
	// ErrDiffers is returned if the copy differs from the source. Nothing was moved.
	ErrDiffers = errors.New("the copy differs from the source")
)

// Moved is a table that was copied, with its digest.
type Moved struct {
	Table string
	Digest
}

// Move copies all rows of one database into an empty one, reads the copy and compares both.
// After a failure the target is still empty. The error may be ErrNotEmpty or ErrDiffers.
func Move(ctx context.Context, from, to Database) (moved []Moved, err error) {
	err = from.Read(ctx, func(source Tx) error {
		return to.Write(ctx, func(target Tx) error {
			if target.Exclusive(); target.Err() != nil {
				return nil
			}
			moved = moved[:0]
			for _, t := range tables {
				if exists(target, "SELECT 1 FROM "+t.name+" LIMIT 1") {
					return ErrNotEmpty
				}
			}
			for _, t := range tables {
				moved = append(moved, t.move(source, target))
			}
			continueVersions(source, target)
			return nil
		})
	})
	return moved, err
}

// continueVersions continues the versions of the market after those of the source. An older file
// has only totals and no versions of its projects: they are added to the first project.
func continueVersions(source, target Tx) {
	was := ReadMarket(source)
	marketVersions.move(source, target)
	is := ReadMarket(target)
	if first := number(target, "SELECT min(number) FROM projects"); first > 0 {
		bumpProject(target, first, was.Version+1-is.Version, was.Listing+1-is.Listing)
	}
}

func (t table) move(source, target Tx) Moved {
	var read, written Digest
	var rows [][]any
	size := 0
	load := func() {
		target.Load(t.name, t.columns, rows)
		source.Fail(target.Err())
		rows, size = rows[:0], 0
	}
	source.Query(t.query(), func(row Row) {
		values := t.values(row)
		size += read.add(values)
		if rows = append(rows, values); len(rows) == rowsOfLoad || size >= bytesOfLoad {
			load()
		}
	})
	load()
	target.Query(t.query(), func(row Row) { written.add(t.values(row)) })
	target.Fail(source.Err())
	if read != written {
		target.Fail(fmt.Errorf("table %s: %w", t.name, ErrDiffers))
	}
	return Moved{t.name, read}
}

// Limits of a batch: rows, and bytes of values. The last row may exceed the second.
const (
	rowsOfLoad  = 10_000
	bytesOfLoad = 8 << 20
)

func (t table) query() string {
	return "SELECT " + strings.Join(t.columns, ", ") + " FROM " + t.name + " ORDER BY " + t.columns[0]
}

func (t table) values(row Row) []any {
	values := make([]any, len(t.columns))
	for i := range values {
		values[i] = row.Value(i)
	}
	return values
}

type table struct {
	name    string
	columns []string
}

// marketVersions is copied by continueVersions. market_state contains its totals.
var marketVersions = columnsOf("market_projects", "project version listing mark")

// tables lists all other tables. Each one follows the tables that it references.
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
	columnsOf("trades",
		"number id tenant vintage wallet_type sell_order invoice type quantity_grams price_cents executed_at"),
	columnsOf("retirement_requests",
		"number id tenant vintage period type status total_grams external_customer created_at closed_at "+
			"closed_after retired_at certificate"),
	columnsOf("retirement_items",
		"number id request quantity_grams created_at retiree_name retiree_tax_id retiree_country "+
			"external_retiree_id trade"),
	columnsOf("external_ids", "tenant external_id request item"),
	columnsOf("serial_numbers", "request position serial tonnes"),
	columnsOf("certificate_files", "request pdf"),
	columnsOf("audit", "number at actor action subject detail"),
	columnsOf("demo_vintages", "vintage seller base_cents fair_cents"),
}

func columnsOf(name, columns string) table { return table{name, strings.Fields(columns)} }

// Digest identifies the contents of a table, independent of the order of its rows.
type Digest struct {
	Rows int64
	// Sum is the sum of all integers, modulo 2⁶⁴.
	Sum uint64
	// hash is the sum of the SHA-256 of the rows, modulo 2²⁵⁶.
	hash [4]uint64
}

// Hash returns the hash of the rows in hexadecimal digits.
func (d Digest) Hash() string {
	return fmt.Sprintf("%016x%016x%016x%016x", d.hash[3], d.hash[2], d.hash[1], d.hash[0])
}

// add returns the number of bytes that it hashed. It hashes each value with its type and
// length, so that different rows have different hashes.
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
