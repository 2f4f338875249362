package demo

import (
	"testing"

	"tonne/api/marketplace"
)

// BenchmarkLoadDemo is what stands between the start of a demo and its first
// prices.
func BenchmarkLoadDemo(b *testing.B) {
	for b.Loop() {
		m, err := marketplace.Open(b.Context(), "", marketplace.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Load(b.Context(), m, Options{Seed: 1, Now: testNow}); err != nil {
			b.Fatal(err)
		}
		if err := m.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
