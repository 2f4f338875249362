package retire

import (
	"testing"

	"tonne/model/retirement"
)

// The call would carry nothing of the customer, and retire in the own name.
func TestACustomersIDAloneIsNoCustomer(t *testing.T) {
	t.Parallel()
	wish := retirement.RetireRequest{VintageID: "V1", Quantity: 1_000_000, Retiree: retirement.Retiree{ID: "C-7"}}
	if err := Check("", wish); err == nil || err.Error() != "a customer's id needs the customer's name, tax id and country" {
		t.Errorf("got %v", err)
	}
	wish.Retiree.Name, wish.Retiree.TaxID, wish.Retiree.Country = "Ann", "T1", "GB"
	if err := Check("", wish); err != nil {
		t.Errorf("the whole customer: %v", err)
	}
}
