package modeltest_test

import (
	"testing"

	"tonne/model"
	"tonne/model/modeltest"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/model/statement"
)

// Tests change one thing of these fixtures, so nothing else may be wrong with them.
func TestCompletedPassesEveryCheck(t *testing.T) {
	t.Parallel()
	for _, check := range modeltest.Completed().Checks(modeltest.ItsProject(), true) {
		must.Equal(t, check.Result, retirement.Pass, check)
	}
}

func TestYearOfTwoIsAccountedFor(t *testing.T) {
	t.Parallel()
	s := must.Get(statement.New(modeltest.YearOfTwo()))
	must.Hold(t, s.Balance.Known() && len(s.Notes) == 0, s.Balance, s.Notes)
}

func TestPriceOfText(t *testing.T) {
	t.Parallel()
	must.Equal(t, modeltest.Price("620"), 620)
	must.Equal(t, modeltest.Price("?"), model.UnknownPrice)
}
