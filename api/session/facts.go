package session

import (
	"context"
	"slices"

	"tonne/model"
)

// FactsEvent carries what the buyer knows of credits, which is read when the
// session begins and told again when another process has changed it.
type FactsEvent struct{ Facts *model.BuyerFacts }

// Resource is the facts.
func (FactsEvent) Resource() string { return "facts" }

// facts is what the buyer knows of credits as it was told.
type facts struct {
	l    *loop
	told []model.BuyerFact
}

// read tells what is known, unless that was told.
func (f *facts) read() {
	var known []model.BuyerFact
	f.l.read(func(ctx context.Context) (err error) {
		known, err = f.l.store.Facts(ctx, f.l.origin)
		return err
	}, func(err error) {
		if err == nil && !slices.Equal(known, f.told) {
			f.told = known
			f.l.out.Put(FactsEvent{model.NewBuyerFacts(known)})
		}
	})
}
