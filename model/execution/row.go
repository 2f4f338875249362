package execution

import (
	"time"

	"tonne/model"
	"tonne/model/market"
)

// Verdict is the result of a comparison.
type Verdict string

// The verdicts. Lowest means that nothing that counts as the same was cheaper, and
// LowestOfVintage that no order of the same vintage was.
const (
	Lowest          Verdict = "lowest"
	LowestOfVintage Verdict = "lowest_of_vintage"
	Higher          Verdict = "higher"
	NotRecorded     Verdict = "not_recorded"
)

// Verdicts are all verdicts, the best first.
var Verdicts = []Verdict{Lowest, LowestOfVintage, Higher, NotRecorded}

// Read is a complete read of the market.
type Read struct {
	// At is the end of the read, and Next that of the following one, zero if there is none.
	At, Next time.Time
	// Ahead is how far the clock of the service was ahead, if Dated.
	Ahead time.Duration
	Dated bool
}

// Amount is an amount of money, if Known.
type Amount struct {
	Cents model.Cents
	Known bool
}

func (a Amount) minus(b Amount) Amount {
	if !a.Known || !b.Known {
		return Amount{}
	}
	return Amount{a.Cents - b.Cents, true}
}

// Row is a purchase and what it is compared with.
type Row struct {
	Purchase
	Project model.Project
	Year    int32
	Cost    Amount
	// Read is the last read in the two minutes before the purchase, or nil.
	Read *Read
	// BoughtOrder is the id of the order that was bought, or empty if it is not known.
	BoughtOrder string
	// Book are the orders of the vintage in the read, cheapest first.
	Book market.Book
	// VintageCost and LikeCost are the cheapest costs of the same tonnes in the read: of the vintage, and
	// of all that Like matches.
	VintageCost, LikeCost Amount
	Like                  string
	LikeFills             []Fill
	// Cheaper are the cheapest of the orders below the price that was paid, and CheaperOrders counts them: those
	// of the vintage if there are any, otherwise those that Like matches.
	Cheaper       []Fill
	CheaperOrders int
	Verdict       Verdict
	// Why is a sentence for people.
	Why string
	// Reason is the buyer's own explanation.
	Reason string
	// TooLarge means that a cost is out of range.
	TooLarge bool
}

// Seconds returns the whole seconds from the read to the purchase.
func (r Row) Seconds() int64 { return int64(r.At().Sub(r.Read.At) / time.Second) }

// VintageDifference returns how much more the purchase cost than the same tonnes of the vintage.
func (r Row) VintageDifference() Amount { return r.Cost.minus(r.VintageCost) }

// LikeDifference returns how much more the purchase cost than what counts as the same.
func (r Row) LikeDifference() Amount { return r.Cost.minus(r.LikeCost) }

// Fill is a part of the cheapest purchase of the same tonnes, from one order.
type Fill struct {
	Vintage model.VintageKey
	Year    int32
	Order   market.SellOrder
	Tonnes  int64
	Cost    model.Cents
}

// Summary sums up rows.
type Summary struct {
	Purchases map[Verdict]int
	Tonnes    int64
	// Cost is what the purchases cost, and Above how much that is above the cheapest that counts as the same,
	// where it is known. Both are exact unless TooLarge is set.
	Cost, Above model.Cents
	// Compared counts the purchases of Above.
	Compared int
	TooLarge bool
}

// Sum sums up rows.
func Sum(rows []Row) Summary {
	s := Summary{Purchases: make(map[Verdict]int)}
	var sums model.Adder
	for _, r := range rows {
		s.Purchases[r.Verdict]++
		s.Tonnes += r.Tonnes()
		sums.Cents(&s.Cost, r.Cost.Cents)
		above := r.LikeDifference()
		if !above.Known {
			above = r.VintageDifference()
		}
		if above.Known {
			s.Compared++
			sums.Cents(&s.Above, max(above.Cents, 0))
		}
		s.TooLarge = s.TooLarge || r.TooLarge || !r.Cost.Known
	}
	s.TooLarge = s.TooLarge || sums.Err != nil
	return s
}
