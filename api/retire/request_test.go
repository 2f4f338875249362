package retire

import (
	"testing"

	"tonne/model"
)

// The call would carry nothing of the customer, and retire in the own name.
func TestACustomersIDAloneIsNoCustomer(t *testing.T) {
	t.Parallel()
	wish := model.RetireRequest{VintageID: "V1", Quantity: 1_000_000, Retiree: model.Retiree{ID: "C-7"}}
	if err := Check("", wish); err == nil || err.Error() != "a customer's id needs the customer's name, tax id and country" {
		t.Errorf("got %v", err)
	}
	wish.Retiree.Name, wish.Retiree.TaxID, wish.Retiree.Country = "Ann", "T1", "GB"
	if err := Check("", wish); err != nil {
		t.Errorf("the whole customer: %v", err)
	}
}

func TestATaxIDThatMayBeMistypedIsDoubtedAndNotRefused(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"123456789": "", "RSSMRA85T10A562S": "", "GB": "", "X1": "", "ZZ123": "",
		"GB 123": "holds blanks and begins with the code of a country, GB",
		"de-12":  "begins with the code of a country, de",
		"12 34":  "holds blanks",
	} {
		if got := TaxIDDoubt(id); got != want {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
		wish := model.RetireRequest{VintageID: "V1", Quantity: 1_000_000, Retiree: model.Retiree{Name: "Ann", TaxID: id, Country: "GB"}}
		if err := Check("", wish); err != nil {
			t.Errorf("%q is refused: %v", id, err)
		}
	}
}
