package wire

import (
	"testing"

	"tonne/model"
	"tonne/model/retirement"
)

func TestARetireCallIsWrittenAsTheInterfaceSays(t *testing.T) {
	t.Parallel()
	customer := retirement.Retiree{ID: "c-7", Name: "Müller \"Söhne\"", TaxID: "DE1", Country: "DE"}
	for _, tt := range []struct {
		name string
		call retirement.Call
		want string
	}{
		{"from the inventory", retirement.Call{VintageID: "004a", Quantity: 20, Price: model.UnknownPrice},
			`{"vintage_id":"004a","quantity_grams":"20","external_id":"x-1"}`},
		{"bought", retirement.Call{VintageID: "004a", Quantity: 2e6, SellOrderID: "006b", Price: 592, Retiree: retirement.Retiree{ID: "c-7"}},
			`{"vintage_id":"004a","quantity_grams":"2000000","external_id":"x-1","sell_order_id":"006b","expected_price_cents":"592","external_retiree_id":"c-7"}`},
		{"for a customer", retirement.Call{VintageID: "004a", Quantity: 2e6, Retiree: customer},
			`{"vintage_id":"004a","quantity_grams":"2000000","external_id":"x-1","external_retiree_id":"c-7","should_retire_external_customer":true,"external_retiree_name":"Müller \"Söhne\"","external_retiree_tax_id":"DE1","external_retiree_location":"DE"}`},
	} {
		if got := string(AppendRetireCall(nil, "x-1", tt.call)); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

func TestAnAcceptedCallNamesItsRequest(t *testing.T) {
	t.Parallel()
	answer, err := DecodeRetireAccepted(AppendRetirementAccepted(nil, "00m1", true))
	if err != nil || answer != (RetireAccepted{RequestID: "00m1", Replayed: true}) {
		t.Errorf("answer = %+v, err = %v", answer, err)
	}
	if answer, err := DecodeRetireAccepted([]byte(`{"retirement_request_id":12345}`)); err != nil || answer.RequestID != "12345" {
		t.Errorf("answer = %+v, err = %v", answer, err)
	}
	for flag, want := range map[string]bool{"true": true, `"true"`: true, "1": true, "false": false, `"false"`: false, "0": false, "null": false} {
		answer, err := DecodeRetireAccepted([]byte(`{"retirement_request_id":"00m1","external_id_already_processed":` + flag + `}`))
		if err != nil || answer.Replayed != want {
			t.Errorf("%s is read as %+v, %v", flag, answer, err)
		}
	}
	for _, body := range []string{`{"retirement_request_id":""}`, `{"retirement_request_id":1.5}`, `{"retirement_request_id":null}`, `{"external_id_already_processed":true}`,
		`{"retirement_request_id":"00m1","external_id_already_processed":"perhaps"}`} {
		if answer, err := DecodeRetireAccepted([]byte(body)); err == nil {
			t.Errorf("%s is read as %+v", body, answer)
		}
	}
}
