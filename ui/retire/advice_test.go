package retire

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"tonne/api"
	"tonne/api/retire"
	"tonne/ui/tab"
)

func TestEachErrorHasAdvice(t *testing.T) {
	t.Parallel()
	for _, err := range []*retire.Problem{
		retire.ErrNoCall, retire.ErrHeld, retire.ErrEnded, retire.ErrOtherBody, retire.ErrOtherKey, retire.ErrUnsettled, retire.ErrNotSent,
		retire.ErrLocked, retire.ErrDisk, retire.ErrEmptied, retire.ErrWalletUnread, retire.ErrBookUnread,
	} {
		what, todo := why(fmt.Errorf("wrapped: %w", err)), tab.Capital(err.Todo)
		p := newPerson(t)
		p.flow.outcome = fails(retire.Call{}, err)
		p.retires("2.5")
		says := "✗ not done · "
		if errors.Is(err, retire.ErrHeld) {
			says = "? outcome unknown · "
		}
		p.Sees(says+what, todo[:20])
		p = newPerson(t)
		p.flow.outcome = silent
		p.retires("2.5")
		p.flow.outcome = fails(retire.Call{}, err)
		p.waits(heldTime + settle)
		p.press("enter")
		p.Sees("? outcome unknown · "+what, todo[:20])
	}
	c := New(&tab.View{}, nil, nil)
	others := []error{context.DeadlineExceeded}
	for kind := api.Unauthorized; kind <= api.Refused; kind++ {
		others = append(others, &api.Error{Kind: kind})
	}
	for _, err := range others {
		if c.advice(err).left.String() == "" {
			t.Errorf("no advice for %v", err)
		}
	}
}

func TestAdviceRepeatsFlagsOfDashboard(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.view.WithFlags = func(text string) string {
		return strings.ReplaceAll(text, "--same-tenant`", "--same-tenant --profile acme`")
	}
	p.flow.outcome = fails(retire.Call{}, retire.ErrOtherKey)
	p.retires("2.5")
	p.Sees("`tonne retire resume --same-tenant", "--profile acme`")
}
