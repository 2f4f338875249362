package retire

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"tonne/api"
	"tonne/api/retire"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/ui/tab"
)

func TestRetirementIsSentAsShown(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	retires("2.5")(p)
	p.Sees("[ledger [00mrequest00000001]]", "[said Retired 2.5 t.]")
	p.flow.sent[0].Body, p.flow.sent[0].ExternalID = nil, ""
	want := []retire.Call{{
		State: retire.Prepared, Reference: "2026-Q4/flight-9", Request: `2500000 g of "004bale0" from "" for ["" "" "" ""]`,
		Plan: retirement.Call{VintageID: "004bale0", Quantity: 2_500_000, FromInventory: 999_980, BuyTonnes: 2, SellOrderID: "006bale00", Price: 620, Cost: 1240},
	}}
	must.Hold(t, reflect.DeepEqual(p.flow.sent, want) && !p.Out(), "sent", p.flow.sent, p.Out())
	p = newPerson(t)
	scenes["review-customer"](p)
	p.Press("wait")
	p.types("3")
	must.Equal(t, p.flow.sent[0].Plan.Retiree, (retirement.Retiree{ID: "c-7", Name: "Your Customer Ltd", TaxID: "123456789", Country: "GB"}))
}

func TestEachErrorHasAdvice(t *testing.T) {
	t.Parallel()
	for _, err := range []*retire.Problem{
		retire.ErrNoCall, retire.ErrHeld, retire.ErrEnded, retire.ErrOtherBody, retire.ErrOtherKey, retire.ErrUnsettled, retire.ErrNotSent,
		retire.ErrLocked, retire.ErrDisk, retire.ErrEmptied, retire.ErrWalletUnread, retire.ErrBookUnread,
	} {
		what, todo := why(fmt.Errorf("wrapped: %w", err)), tab.Capital(err.Todo)
		p := newPerson(t)
		retires("2.5", gives(retire.Call{}, err))(p)
		says := "✗ not done · "
		if errors.Is(err, retire.ErrHeld) {
			says = "? outcome unknown · "
		}
		p.Sees(says+what, todo[:20])
		p = newPerson(t)
		retires("2.5", silent, gives(retire.Call{}, err))(p)
		p.Press("wait", "enter")
		p.Sees("? outcome unknown · "+what, todo[:20])
	}
	c := New(&tab.View{}, nil, nil)
	others := []error{context.DeadlineExceeded}
	for kind := api.Unauthorized; kind <= api.Refused; kind++ {
		others = append(others, &api.Error{Kind: kind})
	}
	for _, err := range others {
		must.Hold(t, c.advice(err).left.String() != "", "no advice for", err)
	}
}
