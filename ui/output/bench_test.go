package output_test

import (
	"io"
	"testing"
	"time"

	"tonne/model"
	"tonne/ui/output"
)

type order struct {
	quantity model.Grams
	price    model.PriceCents
}

var columns = output.Columns[order]{
	{Name: "project_id", Value: func(order) output.Value { return output.Text("00mproject0000001") }},
	{Name: "project_name", Value: func(order) output.Value { return output.Optional("Bale Mountains Eco-Region") }},
	{Name: "vintage_id", Value: func(order) output.Value { return output.Text("00mvintage0000001") }},
	{Name: "vintage_year", Value: func(order) output.Value { return output.Year(2020) }},
	{Name: "sell_order_id", Value: func(order) output.Value { return output.Text("00morder000000001") }},
	{Name: "quantity_grams", Value: func(o order) output.Value { return output.Grams(o.quantity) }},
	{Name: "price_cents", Value: func(o order) output.Value { return output.Price(o.price) }},
}

// BenchmarkRows compares a record of the market in JSON lines with the same in
// CSV.
func BenchmarkRows(b *testing.B) {
	const records = 10_000
	write := func(f output.Format) time.Duration {
		began := time.Now()
		rows := columns.Rows(io.Discard, f)
		for i := range records {
			rows.Write(order{model.Grams(1_000_000 + i), model.PriceCents(500 + i)})
		}
		if err := rows.Flush(); err != nil {
			b.Fatal(err)
		}
		return time.Since(began)
	}
	var lines, sheet time.Duration
	for b.Loop() {
		lines += write(output.JSONL)
		sheet += write(output.CSV)
	}
	b.ReportMetric(float64(lines)/float64(sheet), "×csv")
	b.ReportMetric(float64(lines)/float64(b.N)/records, "ns/record")
	b.ReportMetric(0, "ns/op")
}
