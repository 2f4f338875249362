package demo

import (
	"fmt"
	"slices"
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/model"
)

const historyMonths = 14

type event struct {
	at time.Time
	do func()
}

func (d *loader) addHistory() {
	events := slices.Concat(d.operatorEvents(), d.portfolioEvents(), d.showpieceEvents())
	slices.SortStableFunc(events, func(a, b event) int { return a.at.Compare(b.at) })
	for _, e := range events {
		if e.at.After(d.now) {
			break
		}
		d.At = e.at
		e.do()
	}
	d.At = d.now
}

func (d *loader) month(n int) time.Time {
	return time.Date(d.now.Year(), d.now.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
}

// operatorEvents end the months. On the twelfth of a month the invoices of the previous month
// are settled, and on the twentieth the released requests are completed. This does not apply
// to the last two months, so that the demo shows the intermediate states.
func (d *loader) operatorEvents() (events []event) {
	for n := -historyMonths; n <= 0; n++ {
		events = append(events, event{d.month(n), func() { exchange.CurrentPeriod(d.Change) }})
		if n <= -1 {
			events = append(events,
				event{d.month(n).AddDate(0, 0, 11).Add(10 * time.Hour), func() { exchange.SettleAll(d.Change) }})
		}
		if n <= -2 {
			events = append(events,
				event{d.month(n).AddDate(0, 0, 19).Add(15 * time.Hour), func() { exchange.CompleteAll(d.Change) }})
		}
	}
	return events
}

func (d *loader) portfolioEvents() []event {
	var events []event
	for i, vintages := range d.projects {
		if i%4 == 3 {
			continue
		}
		for j := range min(len(vintages), 1+i%2) {
			trades := d.between(1, 4)
			if i < 6 || i%12 == 0 {
				trades = d.between(18, 36)
			}
			events = append(events, d.tradeEvents(vintages[len(vintages)-1-j], int(trades), i%5 == 1)...)
		}
	}
	return events
}

// tradeEvents buy a vintage several times at the prices of the time. With onlyWhole, each
// purchase is retired completely and the wallet stays empty.
func (d *loader) tradeEvents(v vintage, trades int, onlyWhole bool) []event {
	prices := d.pastPrices(v.fair)
	start := d.month(1 - historyMonths)
	span := int64(d.now.Sub(start) / time.Second)
	events := make([]event, trades)
	for i := range events {
		at := start.Add(time.Duration(d.between(0, span-3600)) * time.Second)
		price := model.PriceCents(d.vary(int64(prices[monthsBetween(at, d.now)]), 1))
		tonnes, fraction := d.between(1, 12), d.between(150, 4800)*1000+d.between(1, 999)
		buy := d.rand.IntN(9) < 5
		// Old fractions would move from month to month until today.
		whole := onlyWhole || at.Before(d.month(-2))
		events[i] = event{at, func() {
			switch {
			case whole && !buy || onlyWhole:
				d.retire(d.tenant, v, price, exchange.RetirementCall{Quantity: model.Grams(tonnes * model.GramsPerTonne)})
			case buy:
				d.stock(d.tenant, v, price, tonnes)
			default:
				d.retire(d.tenant, v, price, exchange.RetirementCall{Quantity: model.Grams(fraction)})
			}
		}}
	}
	return events
}

func (d *loader) pastPrices(fair model.PriceCents) []model.PriceCents {
	prices := make([]model.PriceCents, historyMonths+1)
	at := int64(fair)
	for i := range prices {
		prices[i] = tick(at)
		at = d.vary(at, 4)
	}
	return prices
}

func monthsBetween(past, now time.Time) int {
	return (now.Year()-past.Year())*12 + int(now.Month()) - int(past.Month())
}

func (d *loader) stock(tenant int64, v vintage, price model.PriceCents, tonnes int64) {
	p := exchange.CurrentPeriod(d.Change)
	s := exchange.Offer(d.Change, v.order(d.seller, price, model.Grams(tonnes*model.GramsPerTonne)))
	grams := exchange.Buy(d.Change, tenant, s, p, tonnes)
	exchange.Credit(d.Change, tenant, v.Vintage, grams)
}

func (d *loader) retire(tenant int64, v vintage, price model.PriceCents, call exchange.RetirementCall) (id string) {
	if tonnes := (call.Quantity - exchange.Balance(d.Change, tenant, v.Vintage)).TonnesUp(); tonnes > 0 {
		s := exchange.Offer(d.Change, v.order(d.seller, price, model.Grams(tonnes*model.GramsPerTonne)))
		call.SellOrderID, call.ExpectedPrice = s.ID, price
	}
	d.calls++
	call.VintageID, call.ExternalID = v.id, fmt.Sprintf("demo-%04d", d.calls)
	id = exchange.RequestRetirement(d.Change, tenant, call).ID
	return id
}

// The age of the oldest price, and the age at which the interval between prices doubles, in
// minutes.
const (
	pastMinutes = 45 * 24 * 60
	doubling    = 8 * 60
)

// Price is the best ask and the quantity on offer of a vintage from a time on.
type Price struct {
	Vintage   model.VintageKey
	At        time.Time
	BestAsk   model.PriceCents
	Available model.Grams
}

func (d *loader) addPrices() {
	for _, a := range exchange.Asks(d) {
		d.prices = append(d.prices, d.past(Price{Vintage: a.Vintage, BestAsk: a.Best, Available: a.Available})...)
	}
}

func (d *loader) past(now Price) []Price {
	var prices []Price
	for minutes := int64(0); minutes < pastMinutes; {
		minutes += d.between(20, 150) * (doubling + minutes) / doubling
		now.At = d.now.Add(-time.Duration(minutes) * time.Minute)
		prices = append(prices, now)
		now.BestAsk = max(1, tick(int64(now.BestAsk)*(1000+d.between(-18, 18))/1000))
		now.Available = model.Grams(d.vary(now.Available.Tonnes(), 12)) * model.GramsPerTonne
	}
	slices.Reverse(prices)
	return prices
}
