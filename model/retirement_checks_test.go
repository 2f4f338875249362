package model_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"tonne/model"
	"tonne/model/modeltest"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

func TestValidRequestPassesAllChecks(t *testing.T) {
	want := []retirement.Check{
		{Name: "items_sum_to_total", Result: "pass", Detail: "2 items, 15,000,000,000 g"},
		{Name: "serials_sum_to_whole_tonnes", Result: "pass", Detail: "15,000 of 15,000 t"},
		{Name: "invoices_settled", Result: "pass", Detail: "all are settled"},
		{Name: "beneficiary_present", Result: "pass", Detail: "2 of 2 items"},
		{Name: "serials_match_vintage", Result: "pass", Detail: "Verra project 4268, vintage 2024"},
	}
	must.Equal(t, modeltest.Completed().Checks(modeltest.ItsProject(), true), want)
}

func TestCheckResultsAndDetails(t *testing.T) {
	// Each case changes one value of a valid request.
	for _, c := range []struct {
		check, name string
		change      func(*retirement.Request, *model.Project)
		want        string
	}{
		{retirement.ItemsSumToTotal, "a total that is larger", func(r *retirement.Request, _ *model.Project) { r.TotalQuantity += 1 },
			"fail: 2 items, 15,000,000,000 g of 15,000,000,001 g"},
		{retirement.ItemsSumToTotal, "one item", func(r *retirement.Request, _ *model.Project) { r.Items = r.Items[:1] },
			"fail: 1 item, 10,000,000,000 g of 15,000,000,000 g"},
		{retirement.ItemsSumToTotal, "no items", func(r *retirement.Request, _ *model.Project) { r.Items = nil },
			"not_checkable: no items are listed"},
		{retirement.ItemsSumToTotal, "an unreadable item", func(r *retirement.Request, _ *model.Project) { r.Items[0].Quantity = model.UnknownGrams },
			"not_checkable: a quantity cannot be read"},
		{retirement.ItemsSumToTotal, "an unreadable total", func(r *retirement.Request, _ *model.Project) { r.TotalQuantity = model.UnknownGrams },
			"not_checkable: a quantity cannot be read"},
		{retirement.ItemsSumToTotal, "nothing to process", func(r *retirement.Request, _ *model.Project) {
			r.Status, r.Type, r.TotalQuantity, r.Items = retirement.NothingToProcess, retirement.Fractionalised, 0, []retirement.Item{{Quantity: 60}}
		}, "not_checkable: 1 item, 60 g; none of it is retired"},
		{retirement.ItemsSumToTotal, "a fraction that moved on", func(r *retirement.Request, _ *model.Project) {
			r.Type = retirement.Fractionalised
			r.Items[0].Quantity += 300_000
		}, "not_checkable: 2 items, 15,000,300,000 g; the fraction of a tonne moves to the next month's request"},
		{retirement.ItemsSumToTotal, "a whole tonne too many", func(r *retirement.Request, _ *model.Project) {
			r.Type = retirement.Fractionalised
			r.Items[0].Quantity += 1e6
		}, "fail: 2 items, 15,001,000,000 g of 15,000,000,000 g"},
		{retirement.ItemsSumToTotal, "a fraction too many while open", func(r *retirement.Request, _ *model.Project) {
			r.Type, r.Status = retirement.Fractionalised, retirement.Open
			r.Items[0].Quantity++
		}, "fail: 2 items, 15,000,000,001 g of 15,000,000,000 g"},

		{retirement.SerialsSumToWholeTonnes, "a tonne missing", func(r *retirement.Request, _ *model.Project) { r.TotalQuantity += 1e6 },
			"fail: 15,000 of 15,001 t"},
		{retirement.SerialsSumToWholeTonnes, "a fraction is not retired", func(r *retirement.Request, _ *model.Project) { r.TotalQuantity += 999_999 },
			"pass: 15,000 of 15,000 t"},
		{retirement.SerialsSumToWholeTonnes, "several ranges", func(r *retirement.Request, _ *model.Project) {
			r.SerialNumbers = []string{
				"ART-GY-102-2019-3-1 to 9000", "ART-GY-102-2019-3-9001 to 14999", "ART-GY-102-2019-4-1 to 1",
			}
		}, "pass: 15,000 of 15,000 t"},
		{retirement.SerialsSumToWholeTonnes, "a range listed twice", func(r *retirement.Request, _ *model.Project) {
			r.TotalQuantity, r.SerialNumbers = 30_000e6, []string{modeltest.Verra, modeltest.Verra}
		}, "fail: 30,000 of 30,000 t; 1 range listed twice or overlapping"},
		{retirement.SerialsSumToWholeTonnes, "ranges within one another", func(r *retirement.Request, _ *model.Project) {
			r.SerialNumbers = []string{"ART-GY-102-2019-3-1 to 14998", "ART-GY-102-2019-3-7 to 7", "ART-GY-102-2019-3-9 to 9"}
		}, "fail: 15,000 of 15,000 t; 2 ranges listed twice or overlapping"},
		{retirement.SerialsSumToWholeTonnes, "an unknown format", func(r *retirement.Request, _ *model.Project) {
			r.SerialNumbers = append(r.SerialNumbers, "NEW-1-2")
		}, "not_checkable: 1 of 2 serial numbers in an unknown format"},
		{retirement.SerialsSumToWholeTonnes, "more than fits", func(r *retirement.Request, _ *model.Project) {
			r.SerialNumbers = []string{"ART-GY-102-2019-3-1 to 9223372036854775807"}
		}, "fail: the serial numbers have more tonnes than a request can have"},
		{retirement.SerialsSumToWholeTonnes, "complete without serials", func(r *retirement.Request, _ *model.Project) { r.SerialNumbers = nil },
			"not_checkable: no serial numbers are listed"},
		{retirement.SerialsSumToWholeTonnes, "in progress", func(r *retirement.Request, _ *model.Project) {
			r.Status, r.SerialNumbers = retirement.InProgress, nil
		}, "not_checkable: not complete yet"},
		{retirement.SerialsSumToWholeTonnes, "nothing to process", func(r *retirement.Request, _ *model.Project) {
			r.Status, r.SerialNumbers = retirement.NothingToProcess, nil
		}, "not_checkable: nothing is retired"},
		{retirement.SerialsSumToWholeTonnes, "an unreadable total", func(r *retirement.Request, _ *model.Project) { r.TotalQuantity = model.UnknownGrams },
			"not_checkable: the total cannot be read"},

		{retirement.InvoicesSettled, "not settled", func(r *retirement.Request, _ *model.Project) { r.AllInvoicesSettled = model.No },
			"fail: one or more are not settled"},
		{retirement.InvoicesSettled, "open", func(r *retirement.Request, _ *model.Project) {
			r.Status, r.AllInvoicesSettled = retirement.Open, model.No
		}, "not_checkable: not yet: the request is still open"},
		{retirement.InvoicesSettled, "closed", func(r *retirement.Request, _ *model.Project) {
			r.Status, r.AllInvoicesSettled = retirement.Closed, model.No
		}, "not_checkable: not yet: the request waits for it"},
		{retirement.InvoicesSettled, "in progress", func(r *retirement.Request, _ *model.Project) {
			r.Status, r.AllInvoicesSettled = retirement.InProgress, model.No
		}, "fail: one or more are not settled"},
		{retirement.InvoicesSettled, "nothing to process", func(r *retirement.Request, _ *model.Project) {
			r.Status, r.AllInvoicesSettled = retirement.NothingToProcess, model.No
		}, "not_checkable: nothing is retired"},
		{retirement.InvoicesSettled, "no answer", func(r *retirement.Request, _ *model.Project) { r.AllInvoicesSettled = model.Unset },
			"not_checkable: the service does not say"},

		{retirement.BeneficiaryPresent, "no tax id", func(r *retirement.Request, _ *model.Project) { r.Items[1].RetireeTaxID = "" },
			"fail: 1 of 2 items has no tax id"},
		{retirement.BeneficiaryPresent, "different gaps", func(r *retirement.Request, _ *model.Project) {
			r.Items[0].RetireeName, r.Items[1].RetireeCountry = "", ""
		}, "fail: 2 of 2 items have no name or country"},
		{retirement.BeneficiaryPresent, "no items", func(r *retirement.Request, _ *model.Project) { r.Items = nil },
			"not_checkable: no items are listed"},
		{retirement.BeneficiaryPresent, "retired for the tenant", func(r *retirement.Request, _ *model.Project) {
			r.ExternalCustomer, r.Items = model.No, []retirement.Item{{ID: "00p1"}}
		}, "not_checkable: not retired for a customer; no item names a beneficiary"},
		{retirement.BeneficiaryPresent, "customer without a name", func(r *retirement.Request, _ *model.Project) {
			r.Items = []retirement.Item{{ID: "00p1"}}
		}, "fail: 1 of 1 item has no name or tax id or country"},

		{retirement.SerialsMatchVintage, "another year", func(r *retirement.Request, _ *model.Project) { r.VintageID = "004b" },
			"fail: 1 of 1 serial number not of vintage 2019"},
		{retirement.SerialsMatchVintage, "another project", func(_ *retirement.Request, p *model.Project) {
			p.RegistryURL = "https://registry.verra.org/app/projectDetail/VCS/1340"
		}, "fail: 1 of 1 serial number not of Verra project 1340"},
		{retirement.SerialsMatchVintage, "another registry", func(_ *retirement.Request, p *model.Project) { p.RegistryID = "GS4268" },
			"fail: 1 of 1 serial number not of Gold Standard project 4268"},
		{retirement.SerialsMatchVintage, "a project without a number", func(_ *retirement.Request, p *model.Project) { p.RegistryURL = "" },
			"pass: vintage 2024"},
		{retirement.SerialsMatchVintage, "an unknown vintage", func(r *retirement.Request, _ *model.Project) { r.VintageID = "004c" },
			"not_checkable: the year of the vintage is unknown"},
		{retirement.SerialsMatchVintage, "not complete", func(r *retirement.Request, _ *model.Project) {
			r.Status, r.SerialNumbers = retirement.Closed, nil
		}, "not_checkable: not complete yet"},
		{retirement.SerialsMatchVintage, "an unknown format", func(r *retirement.Request, _ *model.Project) { r.SerialNumbers = []string{"NEW-1-2"} },
			"not_checkable: 1 of 1 serial number in an unknown format"},
	} {
		r, p := modeltest.Completed(), modeltest.ItsProject()
		c.change(&r, &p)
		must.Equal(t, found(r.Checks(p, true), c.check), c.want, c.check, c.name)
	}
}

func TestSerialsOfUnknownProjectAreNotCheckable(t *testing.T) {
	got := found(modeltest.Completed().Checks(model.Project{}, false), retirement.SerialsMatchVintage)
	must.Equal(t, got, "not_checkable: the details of the project are unknown")
}

func found(checks []retirement.Check, name string) string {
	for _, c := range checks {
		if c.Name == name {
			return fmt.Sprint(c.Result, ": ", c.Detail)
		}
	}
	return "no such check"
}

func TestSteps(t *testing.T) {
	for _, c := range []struct {
		status retirement.Status
		kind   retirement.Type
		want   string
	}{
		{retirement.Open, retirement.Fractionalised, "[OPEN] closed in_progress complete"},
		{retirement.Closed, retirement.Fractionalised, "OPEN [CLOSED] in_progress complete"},
		{retirement.InProgress, retirement.Fractionalised, "OPEN CLOSED [IN_PROGRESS] complete"},
		{retirement.Complete, retirement.Fractionalised, "OPEN CLOSED IN_PROGRESS [COMPLETE]"},
		{retirement.NothingToProcess, retirement.Fractionalised, "OPEN [NOTHING_TO_PROCESS]"},
		{retirement.Closed, retirement.Whole, "[CLOSED] in_progress complete"},
		{retirement.Complete, retirement.Whole, "CLOSED IN_PROGRESS [COMPLETE]"},
		{retirement.Open, retirement.Whole, "[OPEN] closed in_progress complete"},
		{"ARCHIVED", retirement.Whole, "[ARCHIVED]"},
	} {
		var got []string
		for _, s := range (retirement.Request{Status: c.status, Type: c.kind}).Steps() {
			switch {
			case s.Current && s.Reached:
				got = append(got, "["+string(s.Status)+"]")
			case s.Reached:
				got = append(got, string(s.Status))
			default:
				got = append(got, strings.ToLower(string(s.Status)))
			}
		}
		must.Equal(t, strings.Join(got, " "), c.want, c.kind, c.status, got)
	}
}

func TestStepsHaveTimesOfCreationAndRetirement(t *testing.T) {
	r := modeltest.Completed()
	steps := r.Steps()
	must.Hold(t, steps[0].At == r.CreatedAt && steps[1].At.Text == "" && steps[len(steps)-1].At == r.RetiredAt, steps)
}

// statuses are the states of interface section 3 and an undocumented one.
var statuses = []retirement.Status{
	retirement.Open, retirement.Closed, retirement.InProgress, retirement.Complete, retirement.NothingToProcess, "ARCHIVED", "",
}

func TestOnlyTwoStatesAreFinal(t *testing.T) {
	for _, s := range statuses {
		documented := s != "ARCHIVED" && s != ""
		must.Hold(t, s.Known() == documented && (s.Meaning() != "") == documented, s, s.Known(), s.Meaning())
		must.Equal(t, s.Final(), s == retirement.Complete || s == retirement.NothingToProcess, s)
	}
}

func TestItemsTotal(t *testing.T) {
	for _, c := range []struct {
		name  string
		items []model.Grams
		want  model.Grams
		err   error
	}{
		{"no items", nil, 0, nil},
		{"the worked example", []model.Grams{20, 40}, 60, nil},
		{"unreadable", []model.Grams{20, model.UnknownGrams}, 0, model.ErrUnknown},
		{"too large", []model.Grams{math.MaxInt64, 1}, 0, model.ErrOverflow},
	} {
		var r retirement.Request
		for _, g := range c.items {
			r.Items = append(r.Items, retirement.Item{Quantity: g})
		}
		if got, err := r.ItemsTotal(); got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %d, %v; want %d, %v", c.name, got, err, c.want, c.err)
		}
	}
}
