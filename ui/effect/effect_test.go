package effect

import (
	"reflect"
	"testing"
)

func TestABatchLeavesOutWhatAsksForNothing(t *testing.T) {
	t.Parallel()
	a, b := Say("a"), Warn("b")
	for name, test := range map[string]struct{ got, want Effect }{
		"none":      {Batch(), nil},
		"all nil":   {Batch(nil, nil), nil},
		"one":       {Batch(nil, a), a},
		"in order":  {Batch(a, nil, b), Several{a, b}},
		"in itself": {Batch(a, Batch(nil, b)), Several{a, b}},
	} {
		if !reflect.DeepEqual(test.got, test.want) {
			t.Errorf("%s: %v, want %v", name, test.got, test.want)
		}
	}
}
