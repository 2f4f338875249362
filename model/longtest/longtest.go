// Package longtest lets tests skip or shorten long runs: soak, chance, kill, stall and
// failover runs. They run only if the environment variable TONNE_LONG is set; its value is a
// factor for their counts. Start reading at Factor.
package longtest

import (
	"flag"
	"os"
	"strconv"
	"testing"
)

// Factor returns the value of TONNE_LONG, at least 1 if it is set, and 0 if it is
// not.
func Factor() int {
	text := os.Getenv("TONNE_LONG")
	if text == "" {
		return 0
	}
	factor, _ := strconv.Atoi(text)
	return max(factor, 1)
}

// Only skips a test that repeats, in full, what shorter tests show.
func Only(t testing.TB) {
	t.Helper()
	if Factor() == 0 {
		t.Skip("it is long: set TONNE_LONG=1")
	}
}

// Runs returns how often a test repeats: short, or long times the factor.
func Runs(short, long int) int {
	if factor := Factor(); factor > 0 {
		return long * factor
	}
	return short
}

// Checks sets how many cases each property is tried with: short, or long times the factor. Call
// it in TestMain. The flag -rapid.checks overrides it.
func Checks(short, long int) {
	if err := flag.Set("rapid.checks", strconv.Itoa(Runs(short, long))); err != nil {
		panic(err)
	}
}
