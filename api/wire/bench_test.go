package wire

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// marketBody returns a page of the market with about the given number of
// orders, ten a vintage and two vintages a project.
func marketBody(orders int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"projects":[`)
	for n := range orders {
		switch {
		case n%20 == 0:
			if n > 0 {
				b.WriteString(`]}]},`)
			}
			fmt.Fprintf(&b, `{"project_id":"003%015d","vintages":[`, n)
			fmt.Fprintf(&b, `{"vintage_id":"004%015d","vintage_year":%d,"sell_orders":[`, n, 2000+n%25)
		case n%10 == 0:
			b.WriteString(`]},`)
			fmt.Fprintf(&b, `{"vintage_id":"004%015d","vintage_year":%d,"sell_orders":[`, n, 2000+n%25)
		default:
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"sell_order_id":"006%015d","quantity_grams":"%d000000","price_cents":"%d"}`, n, 1+n*7919%9000, 100+n*104729%9000)
	}
	b.WriteString(`]}]}],"pagination":{"per_page":100,"total_pages":1,"total_items":50,"current_page":1,"previous_page":null,"next_page":null}}`)
	return b.Bytes()
}

// BenchmarkDecodeMarket compares the decoding of a page with the time in which
// the JSON reader only checks that the same bytes are valid.
func BenchmarkDecodeMarket(b *testing.B) {
	for _, orders := range []int{100, 1_000, 10_000, 100_000} {
		body := marketBody(orders)
		b.Run(fmt.Sprintf("valid/orders=%d", orders), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				if !jsontext.Value(body).IsValid() {
					b.Fatal("not valid")
				}
			}
		})
		b.Run(fmt.Sprintf("decode/orders=%d", orders), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := DecodeMarket(body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
