package inventory

import (
	"iter"
	"strconv"

	"tonne/model"
	"tonne/ui/tab"
)

// walletKey names a wallet. Wallets have no id of their own: number tells two
// of one type and vintage apart.
type walletKey struct {
	model.VintageKey
	kind   string
	number int
}

// row is one wallet with what is known of its vintage.
type row struct {
	key    walletKey
	name   string
	year   int
	wallet model.Wallet
	// lastPaid is over all wallets of the vintage, whatever is filtered.
	lastPaid model.LastPaid
	paid     bool
	// purchases are all BUY trades of the wallet and others that came with
	// them, and bought is their sum; neither depends on a filter. Known says
	// that they were read.
	purchases []model.Trade
	bought    model.Purchases
	known     bool
	bestAsk   model.PriceCents
	value     model.Valuation
}

// rows is one page of the inventory as the table shows it.
type rows []row

func (r rows) Len() int            { return len(r) }
func (r rows) Key(i int) walletKey { return r[i].key }
func (r rows) At(i int) row        { return r[i] }

// newRows lists the wallets of a page. Averages are made of the purchases,
// which are the same page whatever is filtered.
func newRows(v *tab.View, inv, purchases *model.Inventory) rows {
	whole := make(map[walletKey]model.Wallet)
	for key, w := range wallets(purchases) {
		whole[key] = w
	}
	var list rows
	for key, w := range wallets(inv) {
		r := row{key: key, name: v.Projects.Name(key.ProjectID), year: v.Year(key.VintageKey), wallet: w, bestAsk: v.BestAsk(key.VintageKey)}
		r.lastPaid, r.paid = v.LastPaidOf(key.VintageKey)
		r.purchases = whole[key].Trades
		if _, found := whole[key]; found {
			var err error
			r.bought, err = whole[key].Purchases()
			r.known = err == nil
		}
		r.value = model.Value(w.Quantity, r.bestAsk, r.bought)
		list = append(list, r)
	}
	return list
}

// wallets yields the wallets of an inventory, each with a key of its own.
func wallets(inv *model.Inventory) iter.Seq2[walletKey, model.Wallet] {
	return func(yield func(walletKey, model.Wallet) bool) {
		for _, p := range inv.Projects {
			for _, vintage := range p.Vintages {
				count := make(map[string]int)
				for _, w := range vintage.Wallets {
					key := walletKey{model.VintageKey{ProjectID: p.ID, VintageID: vintage.ID}, w.Type, count[w.Type]}
					count[w.Type]++
					if !yield(key, w) {
						return
					}
				}
			}
		}
	}
}

func (r row) average() (model.PriceCents, bool) {
	if !r.known {
		return model.UnknownPrice, false
	}
	return r.bought.AverageCost()
}

func (r row) search(dst []byte) []byte {
	for _, field := range [...]string{r.name, r.key.ProjectID, r.key.VintageID, r.key.kind} {
		dst = append(append(dst, field...), '\n')
	}
	return strconv.AppendInt(dst, int64(r.year), 10)
}

// totals sums up the rows that are shown. Each amount is rounded in its row,
// so that the column adds up to what stands below it.
type totals struct {
	wallets     int
	balance     model.Grams
	value, over model.Cents
	// valued and compared say that there is anything to sum up; fits that the
	// sums are right.
	valued, compared, fits bool
}

func (t *totals) add(r row) {
	t.wallets++
	var err error
	sum := func(to *model.Cents, amount model.Cents) {
		var e error
		if *to, e = model.AddCents(*to, amount); e != nil {
			err = e
		}
	}
	var e error
	if t.balance, e = model.AddGrams(t.balance, r.wallet.Quantity); e != nil {
		err = e
	}
	if r.value.HasValue {
		t.valued = true
		sum(&t.value, r.value.Value)
	}
	if over, ok := r.value.OverCost(); ok {
		t.compared = true
		sum(&t.over, over)
	}
	t.fits = t.fits && err == nil
}
