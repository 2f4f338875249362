package marketplace

import "testing"

// BenchmarkLoadDemo is what stands between the start of a demo and its first
// prices.
func BenchmarkLoadDemo(b *testing.B) {
	for b.Loop() {
		m, err := Open(b.Context(), "", Options{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := m.LoadDemo(b.Context(), DemoOptions{Seed: 1, Now: testNow}); err != nil {
			b.Fatal(err)
		}
		if err := m.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
