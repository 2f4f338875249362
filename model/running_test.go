package model_test

import (
	"testing"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/modeltest"
	must "tonne/model/musttest"
)

func TestRunningCostsAddUpToTheRoundedSum(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var running model.Running
		var exact model.Cost
		rounded, n := model.Cents(0), rapid.IntRange(0, 20).Draw(t, "costs")
		for range n {
			grams := model.Grams(rapid.Int64Range(0, 5_000_000).Draw(t, "grams"))
			price := model.PriceCents(rapid.Int64Range(0, 100_000).Draw(t, "price"))
			cost := must.Get(model.CostOf(grams, price))
			exact = must.Get(exact.Add(cost))
			rounded += must.Get(running.Add(cost))
		}
		must.Equal(t, rounded, must.Get(exact.Cents()))
	})
}

func TestRunningCostThatDoesNotFitIsAnError(t *testing.T) {
	t.Parallel()
	var running model.Running
	huge := must.Get(model.CostOf(1<<62, 1<<62))
	must.Fail(t, must.Err(running.Add(huge)), model.ErrOverflow)
	must.Equal(t, must.Get(running.Add(must.Get(model.CostOf(1_000_000, modeltest.Price("620"))))), 620, "after it")
}
