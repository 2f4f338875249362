package retire

import (
	"testing"
	"time"

	"tonne/ui/tab"
)

func TestEscReturnsFromPlanToFilledForm(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	scenes["review-customer"](p)
	p.Sees("type 3 to retire", "Esc back")
	p.waits(time.Second)
	p.types("3")
	p.press("esc")
	p.Sees("❯ quantity", "Your Customer Ltd", "123456789", "GB", "c-7", "2026-Q4/flight-9", "Esc leaves")
	p.types("0")
	p.press("enter", "enter", "enter", "enter", "enter", "enter", "enter")
	p.Sees("Retire 30 t", "type 30 to retire", "tax id 123456789")
	p.later("esc", "esc")
	if p.Panel != nil || len(p.flow.sent) > 0 {
		t.Errorf("the form is still open, or calls were sent: %v", p.flow.sent)
	}
}

func TestEscReturnsFromPlanWithoutEnoughSupply(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.plans("9000")
	p.press("esc")
	p.Sees("❯ quantity", "9000", "2026-Q4/flight-9")
}

// A sent tax id cannot be corrected, so the plan shows it in full. The list masks it.
func TestPlanShowsFullTaxIDAndListMasksIt(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"123456789", "RSSMRA85T10A", "GB 123"} {
		p := newPerson(t)
		p.do(p.Begin(tab.RetireFrom{Vintage: bale}))
		p.types("3")
		p.press("enter", "C", "enter")
		for _, r := range id {
			if r == ' ' {
				p.press("space")
				continue
			}
			p.types(string(r))
		}
		p.press("enter", "G", "B", "enter", "enter", "enter")
		p.Sees("tax id "+id, "type 3 to retire")
	}
	p := newPerson(t)
	scenes["unfinished"](p)
	p.Sees("tax id •••••6789")
	p.SeesNot("123456789")
}

func TestPlanShowsUseAndRemainderOfWallet(t *testing.T) {
	t.Parallel()
	for quantity, want := range map[string][]string{
		"2.5": {"0.999980 t of 0.999980 t that you hold", "stays in your inventory  0.499980 t"},
		"3":   {"0.999980 t of 0.999980 t that you hold", "stays in your inventory  0.999980 t"},
		"0.5": {"0.500000 t of 0.999980 t that you hold", "stays in your inventory  0.499980 t"},
	} {
		p := newPerson(t)
		p.plans(quantity)
		p.Sees(want...)
	}
}

func TestPlanShowsHighestCost(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.plans("2.5")
	p.Sees("$12.40  at most $18.60 if your inventory is used up first")
	for _, quantity := range []string{"3", "0.5"} {
		p = newPerson(t)
		p.plans(quantity)
		p.SeesNot("at most")
	}
}

// Users mistype the zeros of a small quantity in tonnes.
func TestGramsAreConfirmedInGrams(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.do(p.Begin(tab.RetireFrom{Vintage: bale}))
	p.types("20g")
	p.press("enter", "enter", "enter")
	p.waits(time.Second)
	p.Sees("Retire 20 g of", "type 20 g to retire", "retired now              20 g")
	p.types("20")
	p.press("enter")
	p.Sees("Type 20 g, then ↵.")
	for range 2 {
		p.press("backspace")
	}
	p.types("20")
	p.press("space")
	p.types("g")
	p.press("enter")
	p.Sees("✓ done")
	if len(p.flow.sent) != 1 || p.flow.sent[0].Plan.Quantity != 20 {
		t.Errorf("sent %+v", p.flow.sent)
	}
}
