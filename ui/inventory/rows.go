package inventory

import (
	"strconv"

	"tonne/model"
	"tonne/ui/view"
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
	// average is what was bought into the wallet, from all its trades.
	bought  model.Purchases
	known   bool
	bestAsk model.PriceCents
	value   model.Valuation
}

// rows is one page of the inventory as the table shows it.
type rows []row

func (r rows) Len() int            { return len(r) }
func (r rows) Key(i int) walletKey { return r[i].key }
func (r rows) At(i int) row        { return r[i] }

// history keeps what was bought into each wallet from the last answer that
// listed all trades: filters must not change an average.
type history map[walletKey]model.Purchases

// newRows lists the wallets of a page. Where the answer is not filtered it
// also brings the history up to date.
func newRows(v *view.View, inv *model.Inventory, whole bool, seen history) rows {
	var list rows
	for _, p := range inv.Projects {
		for _, vintage := range p.Vintages {
			count := make(map[string]int)
			for _, w := range vintage.Wallets {
				key := walletKey{model.VintageKey{ProjectID: p.ID, VintageID: vintage.ID}, w.Type, count[w.Type]}
				count[w.Type]++
				list = append(list, newRow(v, key, w, whole, seen))
			}
		}
	}
	return list
}

func newRow(v *view.View, key walletKey, w model.Wallet, whole bool, seen history) row {
	r := row{key: key, name: v.Projects.Name(key.ProjectID), year: v.Year(key.VintageKey), wallet: w, bestAsk: v.BestAsk(key.VintageKey)}
	r.lastPaid, r.paid = v.LastPaidOf(key.VintageKey)
	if whole {
		if bought, err := w.Purchases(); err == nil {
			seen[key] = bought
		}
	}
	r.bought, r.known = seen[key]
	r.value = model.Value(w.Quantity, r.bestAsk, r.bought)
	return r
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
	wallets           int
	balance           model.Grams
	value, unrealised model.Cents
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
	if gain, ok := r.value.Unrealised(); ok {
		t.compared = true
		sum(&t.unrealised, gain)
	}
	t.fits = t.fits && err == nil
}
