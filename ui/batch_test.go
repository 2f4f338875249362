package ui_test

import (
	"reflect"
	"testing"

	must "tonne/model/musttest"
	"tonne/ui/effect"
)

func TestABatchLeavesOutWhatAsksForNothing(t *testing.T) {
	t.Parallel()
	a, b := effect.Say("a"), effect.Warn("b")
	for name, test := range map[string]struct{ got, want effect.Effect }{
		"none":      {effect.Batch(), nil},
		"all nil":   {effect.Batch(nil, nil), nil},
		"one":       {effect.Batch(nil, a), a},
		"in order":  {effect.Batch(a, nil, b), effect.Several{a, b}},
		"in itself": {effect.Batch(a, effect.Batch(nil, b)), effect.Several{a, b}},
	} {
		must.Hold(t, reflect.DeepEqual(test.got, test.want), name, test.got, test.want)
	}
}
