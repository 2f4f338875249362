package retirement_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"tonne/model"
	"tonne/model/modeltest"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/model/texttest"
)

// changes are what may be wrong with a request that passes every check.
var changes = map[string]func(*retirement.Request, *model.Project){
	"nothing":             func(*retirement.Request, *model.Project) {},
	"a gram more":         func(r *retirement.Request, _ *model.Project) { r.TotalQuantity++ },
	"a tonne more":        func(r *retirement.Request, _ *model.Project) { r.TotalQuantity += 1e6 },
	"an unreadable total": func(r *retirement.Request, _ *model.Project) { r.TotalQuantity = model.UnknownGrams },
	"one item":            func(r *retirement.Request, _ *model.Project) { r.Items = r.Items[:1] },
	"no items":            func(r *retirement.Request, _ *model.Project) { r.Items = nil },
	"an unreadable item":  func(r *retirement.Request, _ *model.Project) { r.Items[0].Quantity = model.UnknownGrams },
	"more grams than fit": func(r *retirement.Request, _ *model.Project) { r.Items[0].Quantity = math.MaxInt64 },
	"nothing to process": func(r *retirement.Request, _ *model.Project) {
		r.Status, r.Type, r.TotalQuantity = retirement.NothingToProcess, retirement.Fractionalised, 0
		r.SerialNumbers, r.Items, r.AllInvoicesSettled = nil, []retirement.Item{{Quantity: 60}}, model.No
	},
	"a fraction that moved on": func(r *retirement.Request, _ *model.Project) {
		r.Type = retirement.Fractionalised
		r.Items[0].Quantity += 300_000
	},
	"a fraction, unknown type": func(r *retirement.Request, _ *model.Project) {
		r.Type = ""
		r.Items[0].Quantity += 300_000
	},
	"a whole tonne that moved on": func(r *retirement.Request, _ *model.Project) {
		r.Type = retirement.Fractionalised
		r.Items[0].Quantity += 1e6
	},
	"a fraction while open": func(r *retirement.Request, _ *model.Project) {
		r.Type, r.Status, r.AllInvoicesSettled = retirement.Fractionalised, retirement.Open, model.No
		r.Items[0].Quantity++
	},
	"closed": func(r *retirement.Request, _ *model.Project) {
		r.Status, r.AllInvoicesSettled, r.SerialNumbers = retirement.Closed, model.No, nil
	},
	"in progress": func(r *retirement.Request, _ *model.Project) {
		r.Status, r.AllInvoicesSettled, r.SerialNumbers = retirement.InProgress, model.No, nil
	},
	"unsettled":         func(r *retirement.Request, _ *model.Project) { r.AllInvoicesSettled = model.No },
	"settled or not":    func(r *retirement.Request, _ *model.Project) { r.AllInvoicesSettled = model.Unset },
	"no serial numbers": serialsAre(),
	"several ranges": serialsAre("ART-GY-102-2019-3-1 to 9000", "ART-GY-102-2019-3-9001 to 14999",
		"ART-GY-102-2019-4-1 to 1"),
	"a range twice": serialsAre(modeltest.Verra, modeltest.Verra),
	"ranges in one another": serialsAre("ART-GY-102-2019-3-1 to 14998", "ART-GY-102-2019-3-7 to 7",
		"ART-GY-102-2019-3-9 to 9"),
	"another format":     serialsAre(modeltest.Verra, "NEW-1-2"),
	"too many credits":   serialsAre("ART-GY-102-2019-3-1 to 9223372036854775807"),
	"a CDM serial":       serialsAre("RW-5-1-2-2-0-7014 - RW-5-15000-2-2-0-7014"),
	"unreadable serials": unread("retired_serial_numbers", serialsAre()),
	"unreadable items": unread("retirement_request_items",
		func(r *retirement.Request, _ *model.Project) { r.Items = nil }),
	"an item of one kind": unread("retirement_request_items[1]",
		func(r *retirement.Request, _ *model.Project) { r.Items = r.Items[:1] }),
	"an unreadable name": unread("retirement_request_items[1].retiree_name",
		func(r *retirement.Request, _ *model.Project) { r.Items[1].RetireeName = "5" }),
	"an unreadable customer": unread("should_retire_external_customer", func(r *retirement.Request, _ *model.Project) {
		r.ExternalCustomer, r.Items = model.Unset, []retirement.Item{{Quantity: r.TotalQuantity}}
	}),
	"a name too few": unread("retirement_request_items[1].retiree_name", func(r *retirement.Request, _ *model.Project) {
		r.Items[0].RetireeName, r.Items[1].RetireeName = "", ""
	}),
	"no tax id": func(r *retirement.Request, _ *model.Project) { r.Items[1].RetireeTaxID = "" },
	"no name and no country": func(r *retirement.Request, _ *model.Project) {
		r.Items[0].RetireeName, r.Items[1].RetireeCountry = "", ""
	},
	"no beneficiary": func(r *retirement.Request, _ *model.Project) {
		r.Items = []retirement.Item{{Quantity: r.TotalQuantity}}
	},
	"for the tenant": func(r *retirement.Request, _ *model.Project) {
		r.ExternalCustomer, r.Items = model.No, []retirement.Item{{Quantity: r.TotalQuantity}}
	},
	"another year":    func(r *retirement.Request, _ *model.Project) { r.VintageID = "004b" },
	"an unknown year": func(r *retirement.Request, _ *model.Project) { r.VintageID = "004c" },
	"another project": func(_ *retirement.Request, p *model.Project) {
		p.RegistryURL = strings.Replace(p.RegistryURL, "4268", "1340", 1)
	},
	"another registry":         func(_ *retirement.Request, p *model.Project) { p.RegistryID = "GS4268" },
	"a project without number": func(_ *retirement.Request, p *model.Project) { p.RegistryURL = "" },
	"an unknown project":       func(_ *retirement.Request, p *model.Project) { *p = model.Project{} },
}

func unread(path string, change func(*retirement.Request, *model.Project)) func(*retirement.Request, *model.Project) {
	return func(r *retirement.Request, p *model.Project) {
		r.Faults = []model.Fault{{Path: path, Reason: "is not what it should be"}}
		change(r, p)
	}
}

func serialsAre(serials ...string) func(*retirement.Request, *model.Project) {
	return func(r *retirement.Request, _ *model.Project) { r.SerialNumbers = serials }
}

func TestCheckResultsAndDetails(t *testing.T) {
	tried := 0
	texttest.Table(t, "checks", func(change string) string {
		r, p := modeltest.Completed(), modeltest.ItsProject()
		sound := r.Checks(p, true)
		changes[change](&r, &p)
		tried++
		var found []string
		for i, c := range r.Checks(p, p.ID != "") {
			must.Equal(t, c.Name, sound[i].Name, change)
			if c != sound[i] || change == "nothing" {
				found = append(found, fmt.Sprintf("%s: %s: %s", c.Name, c.Result, c.Detail))
			}
		}
		return strings.Join(found, " | ")
	})
	must.Equal(t, tried, len(changes))
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
	retirement.Open, retirement.Closed, retirement.InProgress, retirement.Complete, retirement.NothingToProcess,
	"ARCHIVED", "",
}

func TestOnlyTwoStatesAreFinal(t *testing.T) {
	for _, s := range statuses {
		documented := s != "ARCHIVED" && s != ""
		must.Hold(t, s.Known() == documented && (s.Meaning() != "") == documented, s, s.Known(), s.Meaning())
		must.Equal(t, s.Final(), s == retirement.Complete || s == retirement.NothingToProcess, s)
	}
}
