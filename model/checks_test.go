package model_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"tonne/model"
)

const verra = "19334-940082955-940097954-VCS-VCU-576-VER-US-14-4268-01062024-31122024-1"

// completed is a request of 15,000 t that passes every check with its project.
func completed() model.Retirement {
	item := model.RetirementItem{
		ID: "00p1", Quantity: 10_000e6, RetireeName: "Your Customer Ltd", RetireeTaxID: "123456789", RetireeCountry: "GB",
	}
	other := item
	other.ID, other.Quantity = "00p2", 5_000e6
	return model.Retirement{
		ID: "00m1", Status: model.Complete, TotalQuantity: 15_000e6, Type: model.Whole, ProjectID: "003a", VintageID: "004a",
		CreatedAt: model.ParseTimestamp("2026-02-05T10:51:00Z"), RetiredAt: model.ParseTimestamp("2026-02-08T11:46:00Z"),
		SerialNumbers: []string{verra}, ExternalCustomer: model.Yes, AllInvoicesSettled: model.Yes,
		Items: []model.RetirementItem{item, other},
	}
}

func itsProject() model.Project {
	return model.Project{
		ID: "003a", RegistryURL: "https://registry.verra.org/app/projectDetail/VCS/4268",
		Vintages: []model.ProjectVintage{{ID: "004b", Year: 2019}, {ID: "004a", Year: 2024}},
	}
}

func TestARetirementInOrderPassesEveryCheck(t *testing.T) {
	t.Parallel()
	want := []model.Check{
		{Name: "items_sum_to_total", Result: "pass", Detail: "2 items, 15,000,000,000 g"},
		{Name: "serials_sum_to_whole_tonnes", Result: "pass", Detail: "15,000 of 15,000 t"},
		{Name: "invoices_settled", Result: "pass", Detail: "all are settled"},
		{Name: "beneficiary_present", Result: "pass", Detail: "2 of 2 items"},
		{Name: "serials_match_vintage", Result: "pass", Detail: "Verra project 4268, vintage 2024"},
	}
	got := completed().Checks(itsProject(), true)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

func TestEachCheckSaysWhatItFound(t *testing.T) {
	t.Parallel()
	// Each case changes one thing of a request in order.
	for _, c := range []struct {
		check, name string
		change      func(*model.Retirement, *model.Project)
		want        string
	}{
		{model.ItemsSumToTotal, "a total that is larger", func(r *model.Retirement, _ *model.Project) { r.TotalQuantity += 1 },
			"fail: 2 items, 15,000,000,000 g of 15,000,000,001 g"},
		{model.ItemsSumToTotal, "one item", func(r *model.Retirement, _ *model.Project) { r.Items = r.Items[:1] },
			"fail: 1 item, 10,000,000,000 g of 15,000,000,000 g"},
		{model.ItemsSumToTotal, "no items", func(r *model.Retirement, _ *model.Project) { r.Items = nil },
			"not_checkable: no items are listed"},
		{model.ItemsSumToTotal, "an unreadable item", func(r *model.Retirement, _ *model.Project) { r.Items[0].Quantity = model.UnknownGrams },
			"not_checkable: a quantity cannot be read"},
		{model.ItemsSumToTotal, "an unreadable total", func(r *model.Retirement, _ *model.Project) { r.TotalQuantity = model.UnknownGrams },
			"not_checkable: a quantity cannot be read"},
		{model.ItemsSumToTotal, "nothing to process", func(r *model.Retirement, _ *model.Project) {
			r.Status, r.Type, r.TotalQuantity, r.Items = model.NothingToProcess, model.Fractionalised, 0, []model.RetirementItem{{Quantity: 60}}
		}, "not_checkable: 1 item, 60 g; nothing is retired of them"},
		{model.ItemsSumToTotal, "a fraction that moved on", func(r *model.Retirement, _ *model.Project) {
			r.Type = model.Fractionalised
			r.Items[0].Quantity += 300_000
		}, "not_checkable: 2 items, 15,000,300,000 g; the fraction of a tonne moves to the next month's request"},
		{model.ItemsSumToTotal, "a whole tonne too many", func(r *model.Retirement, _ *model.Project) {
			r.Type = model.Fractionalised
			r.Items[0].Quantity += 1e6
		}, "fail: 2 items, 15,001,000,000 g of 15,000,000,000 g"},
		{model.ItemsSumToTotal, "a fraction too many while open", func(r *model.Retirement, _ *model.Project) {
			r.Type, r.Status = model.Fractionalised, model.Open
			r.Items[0].Quantity++
		}, "fail: 2 items, 15,000,000,001 g of 15,000,000,000 g"},

		{model.SerialsSumToWholeTonnes, "a tonne missing", func(r *model.Retirement, _ *model.Project) { r.TotalQuantity += 1e6 },
			"fail: 15,000 of 15,001 t"},
		{model.SerialsSumToWholeTonnes, "a fraction is not retired", func(r *model.Retirement, _ *model.Project) { r.TotalQuantity += 999_999 },
			"pass: 15,000 of 15,000 t"},
		{model.SerialsSumToWholeTonnes, "several ranges", func(r *model.Retirement, _ *model.Project) {
			r.SerialNumbers = []string{
				"ART-GY-102-2019-3-1 to 9000", "ART-GY-102-2019-3-9001 to 14999", "ART-GY-102-2019-4-1 to 1",
			}
		}, "pass: 15,000 of 15,000 t"},
		{model.SerialsSumToWholeTonnes, "a range listed twice", func(r *model.Retirement, _ *model.Project) {
			r.TotalQuantity, r.SerialNumbers = 30_000e6, []string{verra, verra}
		}, "fail: 30,000 of 30,000 t; 1 range listed twice or overlapping"},
		{model.SerialsSumToWholeTonnes, "ranges within one another", func(r *model.Retirement, _ *model.Project) {
			r.SerialNumbers = []string{"ART-GY-102-2019-3-1 to 14998", "ART-GY-102-2019-3-7 to 7", "ART-GY-102-2019-3-9 to 9"}
		}, "fail: 15,000 of 15,000 t; 2 ranges listed twice or overlapping"},
		{model.SerialsSumToWholeTonnes, "an unknown format", func(r *model.Retirement, _ *model.Project) {
			r.SerialNumbers = append(r.SerialNumbers, "NEW-1-2")
		}, "not_checkable: 1 of 2 serial numbers in an unknown format"},
		{model.SerialsSumToWholeTonnes, "more than fits", func(r *model.Retirement, _ *model.Project) {
			r.SerialNumbers = []string{"ART-GY-102-2019-3-1 to 9223372036854775807"}
		}, "fail: the serial ranges hold more than any request can"},
		{model.SerialsSumToWholeTonnes, "complete without serials", func(r *model.Retirement, _ *model.Project) { r.SerialNumbers = nil },
			"not_checkable: no serial numbers are listed"},
		{model.SerialsSumToWholeTonnes, "in progress", func(r *model.Retirement, _ *model.Project) {
			r.Status, r.SerialNumbers = model.InProgress, nil
		}, "not_checkable: not complete yet"},
		{model.SerialsSumToWholeTonnes, "nothing to process", func(r *model.Retirement, _ *model.Project) {
			r.Status, r.SerialNumbers = model.NothingToProcess, nil
		}, "not_checkable: nothing is retired"},
		{model.SerialsSumToWholeTonnes, "an unreadable total", func(r *model.Retirement, _ *model.Project) { r.TotalQuantity = model.UnknownGrams },
			"not_checkable: the total cannot be read"},

		{model.InvoicesSettled, "not settled", func(r *model.Retirement, _ *model.Project) { r.AllInvoicesSettled = model.No },
			"fail: one or more are not settled"},
		{model.InvoicesSettled, "open", func(r *model.Retirement, _ *model.Project) {
			r.Status, r.AllInvoicesSettled = model.Open, model.No
		}, "not_checkable: not yet: the request is still open"},
		{model.InvoicesSettled, "closed", func(r *model.Retirement, _ *model.Project) {
			r.Status, r.AllInvoicesSettled = model.Closed, model.No
		}, "not_checkable: not yet: the request waits for it"},
		{model.InvoicesSettled, "in progress", func(r *model.Retirement, _ *model.Project) {
			r.Status, r.AllInvoicesSettled = model.InProgress, model.No
		}, "fail: one or more are not settled"},
		{model.InvoicesSettled, "nothing to process", func(r *model.Retirement, _ *model.Project) {
			r.Status, r.AllInvoicesSettled = model.NothingToProcess, model.No
		}, "not_checkable: nothing is retired"},
		{model.InvoicesSettled, "not said", func(r *model.Retirement, _ *model.Project) { r.AllInvoicesSettled = model.Unset },
			"not_checkable: the service does not say"},

		{model.BeneficiaryPresent, "no tax id", func(r *model.Retirement, _ *model.Project) { r.Items[1].RetireeTaxID = "" },
			"fail: 1 of 2 items has no tax id"},
		{model.BeneficiaryPresent, "different gaps", func(r *model.Retirement, _ *model.Project) {
			r.Items[0].RetireeName, r.Items[1].RetireeCountry = "", ""
		}, "fail: 2 of 2 items have no name or country"},
		{model.BeneficiaryPresent, "no items", func(r *model.Retirement, _ *model.Project) { r.Items = nil },
			"not_checkable: no items are listed"},
		{model.BeneficiaryPresent, "retired for the tenant", func(r *model.Retirement, _ *model.Project) {
			r.ExternalCustomer, r.Items = model.No, []model.RetirementItem{{ID: "00p1"}}
		}, "not_checkable: not retired for a customer; no item names a beneficiary"},
		{model.BeneficiaryPresent, "nobody named for a customer", func(r *model.Retirement, _ *model.Project) {
			r.Items = []model.RetirementItem{{ID: "00p1"}}
		}, "fail: 1 of 1 item has no name or tax id or country"},

		{model.SerialsMatchVintage, "another year", func(r *model.Retirement, _ *model.Project) { r.VintageID = "004b" },
			"fail: 1 of 1 serial number not of vintage 2019"},
		{model.SerialsMatchVintage, "another project", func(_ *model.Retirement, p *model.Project) {
			p.RegistryURL = "https://registry.verra.org/app/projectDetail/VCS/1340"
		}, "fail: 1 of 1 serial number not of Verra project 1340"},
		{model.SerialsMatchVintage, "another registry", func(_ *model.Retirement, p *model.Project) { p.RegistryID = "GS4268" },
			"fail: 1 of 1 serial number not of Gold Standard project 4268"},
		{model.SerialsMatchVintage, "a project without a number", func(_ *model.Retirement, p *model.Project) { p.RegistryURL = "" },
			"pass: vintage 2024"},
		{model.SerialsMatchVintage, "a vintage that is not known", func(r *model.Retirement, _ *model.Project) { r.VintageID = "004c" },
			"not_checkable: the year of the vintage is not known"},
		{model.SerialsMatchVintage, "not complete", func(r *model.Retirement, _ *model.Project) {
			r.Status, r.SerialNumbers = model.Closed, nil
		}, "not_checkable: not complete yet"},
		{model.SerialsMatchVintage, "an unknown format", func(r *model.Retirement, _ *model.Project) { r.SerialNumbers = []string{"NEW-1-2"} },
			"not_checkable: 1 of 1 serial number in an unknown format"},
	} {
		r, p := completed(), itsProject()
		c.change(&r, &p)
		if got := found(r.Checks(p, true), c.check); got != c.want {
			t.Errorf("%s, %s:\ngot  %q\nwant %q", c.check, c.name, got, c.want)
		}
	}
}

func TestSerialsAreNotHeldAgainstAProjectThatIsNotKnown(t *testing.T) {
	t.Parallel()
	got := found(completed().Checks(model.Project{}, false), model.SerialsMatchVintage)
	if got != "not_checkable: the details of the project are not known" {
		t.Error(got)
	}
}

func found(checks []model.Check, name string) string {
	for _, c := range checks {
		if c.Name == name {
			return fmt.Sprint(c.Result, ": ", c.Detail)
		}
	}
	return "no such check"
}

func TestStepsOfALife(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status model.RetirementStatus
		kind   model.RetirementType
		want   string
	}{
		{model.Open, model.Fractionalised, "[OPEN] closed in_progress complete"},
		{model.Closed, model.Fractionalised, "OPEN [CLOSED] in_progress complete"},
		{model.InProgress, model.Fractionalised, "OPEN CLOSED [IN_PROGRESS] complete"},
		{model.Complete, model.Fractionalised, "OPEN CLOSED IN_PROGRESS [COMPLETE]"},
		{model.NothingToProcess, model.Fractionalised, "OPEN [NOTHING_TO_PROCESS]"},
		{model.Closed, model.Whole, "[CLOSED] in_progress complete"},
		{model.Complete, model.Whole, "CLOSED IN_PROGRESS [COMPLETE]"},
		{model.Open, model.Whole, "[OPEN] closed in_progress complete"},
		{"ARCHIVED", model.Whole, "[ARCHIVED]"},
	} {
		var got []string
		for _, s := range (model.Retirement{Status: c.status, Type: c.kind}).Steps() {
			switch {
			case s.Current && s.Reached:
				got = append(got, "["+string(s.Status)+"]")
			case s.Reached:
				got = append(got, string(s.Status))
			default:
				got = append(got, strings.ToLower(string(s.Status)))
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s %s: %q, want %q", c.kind, c.status, got, c.want)
		}
	}
}

func TestStepsKnowWhenTheLifeBeganAndEnded(t *testing.T) {
	t.Parallel()
	r := completed()
	steps := r.Steps()
	if steps[0].At != r.CreatedAt || steps[1].At.Text != "" || steps[len(steps)-1].At != r.RetiredAt {
		t.Errorf("%+v", steps)
	}
}

func BenchmarkChecksOf10000Serials(b *testing.B) {
	r := completed()
	for i := range 9_999 {
		r.SerialNumbers = append(r.SerialNumbers, fmt.Sprintf("ART-GY-102-2019-3-%d to %d", i*2, i*2+1))
	}
	p := itsProject()
	for b.Loop() {
		r.Checks(p, true)
	}
}
