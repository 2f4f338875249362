package output_test

import (
	"io"
	"testing"
	"time"

	"tonne/model"
	"tonne/ui/cli/output"
)

// BenchmarkRows compares a record of the market in JSON lines with the same in
// CSV.
func BenchmarkRows(b *testing.B) {
	const header = "project_id,project_name,vintage_id,vintage_year,sell_order_id,quantity_grams,price_cents"
	const records = 10_000
	write := func(f output.Format) time.Duration {
		began := time.Now()
		rows := output.NewRows(io.Discard, f, header)
		for i := range records {
			rows.Write(output.Text("00mproject0000001"), output.Optional("Bale Mountains Eco-Region"), output.Text("00mvintage0000001"),
				output.Year(2020), output.Text("00morder000000001"), output.Grams(model.Grams(1_000_000+i)), output.Price(model.PriceCents(500+i)))
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
