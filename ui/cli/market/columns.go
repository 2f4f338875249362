package market

import (
	"iter"
	"slices"

	"tonne/model"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/ui/cli/listing"
	"tonne/ui/column"
	"tonne/ui/output"
)

// project is a project of the market with those of its vintages that are listed.
type project struct {
	column.Vintage
	listings []*column.Listing
}

// jsonColumns are the columns of a project of the market with its vintages.
var jsonColumns = output.Over(column.OfferProjects, func(p project) (column.Offer, bool) {
	return column.Offer{Listing: &column.Listing{Vintage: p.Vintage}}, true
}).With(
	output.Array("vintages", func(p project) iter.Seq[*column.Listing] { return slices.Values(p.listings) },
		output.Over(column.OfferVintages, func(l *column.Listing) (column.Offer, bool) { return column.Offer{Listing: l}, true }).With(
			output.Column[*column.Listing]{Name: "best_ask_cents", Value: func(l *column.Listing) output.Value { return output.Price(l.Market.BestAsk) }},
			output.Column[*column.Listing]{Name: "available_grams", Value: func(l *column.Listing) output.Value { return output.Grams(l.Market.Available) }},
			output.Nested("last_paid", func(l *column.Listing) (portfolio.LastPaid, bool) { return l.Paid, l.Bought }, listing.LastPaidColumns),
			output.Array("sell_orders", (*column.Listing).Orders, column.OfferOrders),
		)))

func (r *reading) listing(market *market.Market, i int) *column.Listing {
	return column.NewListing(market, i, r.ProjectDetails.Known, r.filter.Paid)
}

func (r *reading) listings(market *market.Market) (all []*column.Listing) {
	for _, i := range r.filter.Passing(market, r.ProjectDetails) {
		all = append(all, r.listing(market, i))
	}
	return all
}

func (r *reading) projects(market *market.Market) iter.Seq[project] {
	return func(yield func(project) bool) {
		for i := range market.Projects() {
			of := market.Project(i)
			p := project{Vintage: column.Vintage{Key: model.VintageKey{ProjectID: of.ID}, Project: r.ProjectDetails.Known[of.ID]}}
			for v := of.First; v < of.End; v++ {
				if r.filter.Lets(market.Key(v), r.ProjectDetails) {
					p.listings = append(p.listings, r.listing(market, v))
				}
			}
			if (len(p.listings) > 0 || of.First == of.End) && !yield(p) {
				return
			}
		}
	}
}
