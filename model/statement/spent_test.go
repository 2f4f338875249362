package statement_test

import (
	"strings"
	"testing"

	"tonne/model"
	"tonne/model/advice"
	"tonne/model/cost"
	"tonne/model/modeltest"
	must "tonne/model/musttest"
	"tonne/model/statement"
)

func TestRetiredCostIsThatOfTheRequests(t *testing.T) {
	t.Parallel()
	for _, by := range statement.Groupings() {
		source := modeltest.YearOfTwo()
		source.By = statement.Grouping(by)
		s := newStatement(t, source)
		want := model.Cents(0)
		for _, r := range s.Retired {
			if r.Quantity == r.TotalQuantity {
				total := cost.New(source.Inventory, source.Requests).Request(r.Request)
				must.Equal(t, total.Why, "")
				want += total.Cents
			}
		}
		rows := model.Cents(0)
		for _, row := range s.Rows {
			if spent, known := row.RetiredCost(); known {
				rows += spent
			}
		}
		total, known := s.Total.RetiredCost()
		must.Hold(t, known && total > 0 && rows == total, by, known, total, rows)
		must.Hold(t, by == string(statement.PerBeneficiary) || total == want, by, total, want)
	}
}

func TestRetiredCostIsUnknownIfThatOfOneRequestIs(t *testing.T) {
	t.Parallel()
	source := modeltest.YearOfTwo()
	source.By = statement.PerProject
	source.Inventory.Projects[0].Vintages[0].Wallets[0].Quantity++
	s := newStatement(t, source)
	known := 0
	for _, row := range s.Rows {
		if _, ok := row.RetiredCost(); ok {
			known++
		}
	}
	_, ok := s.Total.RetiredCost()
	notes := strings.Join(advice.Strings(s.Notes), "\n")
	must.Hold(t, !ok && known == 1 && strings.Contains(notes, "Of 50 t retired, the cost of ") &&
		strings.Contains(notes, "Unknown: of vintage "), ok, known, notes)
}

func TestRetiredCostOfABeneficiaryIsThatOfItsItems(t *testing.T) {
	t.Parallel()
	source := modeltest.YearOfTwo()
	all, _ := newStatement(t, source).Total.RetiredCost()
	sum := model.Cents(0)
	for _, who := range []string{"Ann", "Bo"} {
		source.Beneficiary = who
		part, known := newStatement(t, source).Total.RetiredCost()
		must.Need(t, known && part > 0, who, part)
		sum += part
	}
	must.Equal(t, sum, all)
}
