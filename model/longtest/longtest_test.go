package longtest_test

import (
	"testing"

	"tonne/model/longtest"
	must "tonne/model/musttest"
)

// The test sets the environment, so it does not run in parallel.
func TestRunsGrowWithTheFactor(t *testing.T) {
	for _, c := range []struct {
		value        string
		factor, runs int
	}{{"", 0, 5}, {"1", 1, 100}, {"3", 3, 300}, {"yes", 1, 100}, {"-2", 1, 100}} {
		t.Setenv("TONNE_LONG", c.value)
		must.Equal(t, longtest.Factor(), c.factor, c.value)
		must.Equal(t, longtest.Runs(5, 100), c.runs, c.value)
	}
}
