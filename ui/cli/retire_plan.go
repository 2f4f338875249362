package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"

	"tonne/api"
	"tonne/api/retire"
	"tonne/model"
)

// supply is what calls are planned with: the wallets and the order books of
// vintages. Planning takes from it.
type supply struct {
	held  map[string]model.Grams
	books map[string]model.Book
}

// supply reads the market and the inventory. Of vintages that nobody sells and
// that are in no wallet, there is neither.
func (r *retireRun) supply(ctx context.Context) (*supply, error) {
	market, err := r.client.Market(ctx, 0, nil)
	if err != nil {
		return nil, notSent(err)
	}
	inventory, err := r.client.Inventory(ctx, inventoryBalances, nil)
	if err != nil {
		return nil, notSent(err)
	}
	s := &supply{make(map[string]model.Grams), make(map[string]model.Book)}
	for _, line := range r.lines {
		id := line.wish.VintageID
		if at, onSale := market.FindVintage(id); onSale {
			s.books[id] = market.Book(at)
		}
		if unread := s.books[id].Unread; unread > 0 {
			return nil, incomplete("sell orders of the vintage %s that cannot be read: %d; nothing was sent", id, unread)
		}
		held, owned := balance(inventory, id)
		if !held.Known() {
			return nil, incomplete("a wallet of the vintage %s cannot be read; nothing was sent", id)
		}
		if owned {
			s.held[id] = held
		}
	}
	return s, nil
}

// notSent adds to the error of a listing that is incomplete that nothing was sent.
func notSent(err error) error {
	if api.KindOf(err) == api.Incomplete {
		return incomplete("%v; nothing was sent", err)
	}
	return err
}

// copy returns a supply of which others may take.
func (s *supply) copy() *supply {
	books := make(map[string]model.Book, len(s.books))
	for id, book := range s.books {
		book.Asks = slices.Clone(book.Asks)
		books[id] = book
	}
	return &supply{maps.Clone(s.held), books}
}

// plan plans a wish and takes what it needs.
func (s *supply) plan(wish model.RetireWish) (model.RetirePlan, error) {
	id := wish.VintageID
	if _, owned := s.held[id]; !owned && s.books[id].Asks == nil {
		return model.RetirePlan{}, notForSale(id)
	}
	plan, err := model.PlanRetirement(s.books[id], s.held[id], wish)
	if err != nil {
		return plan, err
	}
	s.held[id] = plan.Remainder
	for _, c := range plan.Calls {
		s.take(id, c)
	}
	return plan, nil
}

func (s *supply) take(vintage string, c model.RetireCall) {
	book := s.books[vintage]
	for i := range book.Asks {
		if book.Asks[i].Order.ID == c.SellOrderID {
			book.Asks[i].Tonnes -= c.BuyTonnes
		}
	}
	book.Asks = slices.DeleteFunc(book.Asks, func(a model.Ask) bool { return a.Tonnes == 0 })
	s.books[vintage] = book
}

// plan plans what is still to be retired, line by line. The failure names all
// lines that cannot be served.
func (r *retireRun) plan(ctx context.Context) error {
	before, err := r.supply(ctx)
	if err != nil {
		return err
	}
	r.before, r.after = before, before.copy()
	var wrong []error
	for _, line := range r.lines {
		if line.rest() <= 0 {
			continue
		}
		if err := r.planLine(line); err != nil {
			wrong = append(wrong, err)
		}
	}
	if err := r.unserved(wrong); err != nil {
		return err
	}
	if r.dearer > 0 {
		r.warn("%s", retire.SaidDearer(r.dearer))
	}
	return r.affordable(ctx)
}

func (r *retireRun) planLine(line *retireLine) error {
	wish := line.wish
	wish.Quantity = line.rest()
	plan, err := r.after.plan(wish)
	if err != nil {
		return r.named(line, planFailure(err))
	}
	r.dearer += plan.Dearer
	for n, c := range plan.Calls {
		line.calls = append(line.calls, &retireCall{reference: line.reference, externalID: r.newID(line, n, c), plan: c})
		if line.maxPrice.Known() && c.Price > line.maxPrice {
			err = unmet("too_dear", "wait for another price, or allow more with --max-price",
				"the sell order %s costs %s a tonne, more than %s", c.SellOrderID, c.Price.FormatDollars(), line.maxPrice.FormatDollars())
		}
	}
	if plan.Short > 0 {
		r.short = r.short.AddUpTo(plan.Short)
		err = unmet("too_little", "ask for less, or watch the vintage with `tonne market --watch`", "%s are neither in the wallet nor for sale", plan.Short.FormatTonnes())
	}
	if err != nil {
		return r.named(line, err)
	}
	return nil
}

// planFailure explains why a wish cannot be planned.
func planFailure(err error) error {
	var order *model.OrderError
	switch {
	case errors.As(err, &order):
		return unmet("not_found", "name another one, or none for the cheapest", "the sell order %v", order)
	case errors.Is(err, model.ErrCustomerFraction), errors.Is(err, model.ErrNothingToRetire):
		return usage("give --tonnes", "%v", err)
	case errors.Is(err, model.ErrOverflow):
		return failed("ask for less", "the plan cannot be computed: the %v", err)
	}
	return err
}

// named says of which line of a batch a failure is.
func (r *retireRun) named(line *retireLine, err error) error {
	if r.batch == "" {
		return err
	}
	f := *explain(err)
	f.what = line.reference + ": " + f.what
	return &f
}

// unserved is the failure of a plan with lines that cannot be served, or that
// costs too much; or nil.
func (r *retireRun) unserved(wrong []error) error {
	switch cost, err := r.cost(); {
	case len(wrong) == 1:
		return wrong[0]
	case len(wrong) > 1:
		var all []string
		for _, err := range wrong {
			all = append(all, explain(err).what)
		}
		return &failure{what: someOf(all), todo: "correct these lines; nothing was sent", status: explain(wrong[0]).status}
	case err != nil:
		return planFailure(err)
	case r.mostCost >= 0 && cost > r.mostCost:
		return unmet("too_dear", "ask for less, or allow more",
			"it costs %s, more than the %s that --max-cost allows; nothing was sent", cost.FormatDollars(), r.mostCost.FormatDollars())
	}
	return nil
}

// cost is what all calls cost that were made or are planned.
func (r *retireRun) cost() (sum model.Cents, err error) {
	for _, c := range r.calls() {
		if c.status != callRefused && err == nil {
			sum, err = model.AddCents(sum, c.plan.Cost)
		}
	}
	return sum, err
}

// newID returns the external id of the n-th call of a plan. For a line of a
// batch it follows from the batch, the line and the calls before, so that
// another run, here or elsewhere, comes to the same.
func (r *retireRun) newID(line *retireLine, n int, c model.RetireCall) string {
	if r.batch == "" {
		return line.ids.Next(c)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %d", r.batch, line.reference, line.made+n))
	return "tonne-" + hex.EncodeToString(sum[:16])
}

// unmoved is a failure if what the plan was made with has changed since.
func (r *retireRun) unmoved(ctx context.Context) error {
	now, err := r.supply(ctx)
	if err != nil {
		return err
	}
	needed := make(map[string]int64)
	for _, c := range r.calls() {
		if !c.isPlanned() {
			continue
		}
		if was, is := r.before.held[c.plan.VintageID], now.held[c.plan.VintageID]; was != is {
			return moved("the wallet of %s holds %s now, and held %s", c.plan.VintageID, is.FormatTonnes(), was.FormatTonnes())
		}
		needed[c.plan.SellOrderID] += c.plan.BuyTonnes
		if err := now.sells(c.plan, needed[c.plan.SellOrderID]); err != nil {
			return err
		}
	}
	return nil
}

// sells is a failure unless the order of a call sells so many tonnes at the
// price of the call.
func (s *supply) sells(c model.RetireCall, tonnes int64) error {
	if c.BuyTonnes == 0 {
		return nil
	}
	for _, ask := range s.books[c.VintageID].Asks {
		switch {
		case ask.Order.ID != c.SellOrderID:
		case ask.Order.Price != c.Price:
			return moved("the price of the sell order %s is %s now, and was %s", c.SellOrderID, ask.Order.Price.FormatDollars(), c.Price.FormatDollars())
		case ask.Tonnes < tonnes:
			return moved("the sell order %s sells %d t now, and %d t are planned", c.SellOrderID, ask.Tonnes, tonnes)
		default:
			return nil
		}
	}
	return moved("the sell order %s is not for sale any more", c.SellOrderID)
}

func moved(format string, args ...any) error {
	return unmet("moved", "run it again to see the new plan", format+"; nothing was sent", args...)
}
