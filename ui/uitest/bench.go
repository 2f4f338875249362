package uitest

import (
	"testing"
	"time"
)

// Compare measures f, and reports its time relative to peer. Both take turns and the best times count, so that other
// load on the machine affects both.
func Compare(b *testing.B, unit string, f, peer func(i int)) {
	var bests [2]time.Duration
	for round := range 40 {
		for side, call := range [2]func(int){f, peer} {
			start, calls := time.Now(), 0
			for calls == 0 || time.Since(start) < 2*time.Millisecond {
				call(round*8 + calls)
				calls++
			}
			if took := time.Since(start) / time.Duration(calls); round == 0 || took < bests[side] {
				bests[side] = took
			}
		}
		if round >= 4 && b.Elapsed() > 2*time.Second {
			break
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		f(i)
	}
	b.ReportMetric(float64(bests[0])/float64(bests[1]), unit)
}
