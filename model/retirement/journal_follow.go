package retirement

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"tonne/model"
)

// CallPart is the part of a call that is in a request. The id is empty if it is not known.
type CallPart struct {
	RequestID string
	Quantity  model.Grams
}

// FollowCalls returns the calls that are done, by the requests that they went into. A
// fraction moves on from month to month until a whole tonne is there (interface section
// 3), and the item that straddles the last whole tonne is divided: such a call has Parts
// and is in the list of each of their requests, as far as the answers tell.
func FollowCalls(calls []JournalEntry, answers []*Request) map[string][]JournalEntry {
	f := &follower{placed: make(map[string][]JournalEntry)}
	tenants := newTenants(calls)
	type gathered struct{ vintage, tenant string }
	fractions := make(map[gathered][]*moving)
	for _, c := range calls {
		if c.RequestID == "" {
			continue
		}
		if c.Call.Quantity.IsWhole() {
			f.placed[c.RequestID] = append(f.placed[c.RequestID], c)
			continue
		}
		of := gathered{c.Call.VintageID, tenants.of(c.Account)}
		fractions[of] = append(fractions[of], &moving{entry: c, left: c.Call.Quantity})
	}
	for of, calls := range fractions {
		chain := slices.DeleteFunc(gatherings(answers, of.vintage), func(r *Request) bool { return tenants.isOfAnother(of.tenant, r) })
		f.follow(calls, chain, func(before, r *Request) bool { return isLater(before, r) || tenants.isOf(of.tenant, r) })
	}
	return f.placed
}

func gatherings(answers []*Request, vintage string) (chain []*Request) {
	for _, r := range answers {
		if r.Type == Fractionalised && r.VintageID == vintage {
			chain = append(chain, r)
		}
	}
	slices.SortStableFunc(chain, func(a, b *Request) int {
		return cmp.Or(a.CreatedAt.Time.Compare(b.CreatedAt.Time), cmp.Compare(a.ID, b.ID))
	})
	return chain
}

type moving struct {
	entry JournalEntry
	// left is what has no place yet; unclear says that the answers do not tell.
	left    model.Grams
	unclear bool
	// last is the request that it stood in last, nil before the first.
	last *Request
}

// isLater reports whether two requests are of different months. One tenant has one request
// a month for the fractions of a vintage, unless an operator closes it early.
func isLater(before, r *Request) bool {
	const month = "2006-01"
	a, b := before.CreatedAt, r.CreatedAt
	return !a.Known() || !b.Known() || a.Time.UTC().Format(month) != b.Time.UTC().Format(month)
}

type follower struct{ placed map[string][]JournalEntry }

func (f *follower) follow(fractions []*moving, chain []*Request, after func(before, r *Request) bool) {
	for n, r := range chain {
		var carried, here []*moving
		for _, m := range fractions {
			switch {
			case m.left == 0 || m.unclear:
			case m.last != nil && after(m.last, r):
				carried = append(carried, m)
			case m.entry.RequestID == r.ID:
				here = append(here, m)
			}
		}
		here = append(carried, here...)
		for _, m := range here {
			m.last = r
		}
		later := slices.DeleteFunc(slices.Clone(chain[n+1:]), func(next *Request) bool { return !after(r, next) })
		place(here, r, later)
	}
	for _, m := range fractions {
		if len(m.entry.Parts) > 0 && m.left > 0 {
			m.entry.Parts = append(m.entry.Parts, CallPart{"", m.left})
		}
		f.placed[m.entry.RequestID] = append(f.placed[m.entry.RequestID], m.entry)
		for _, part := range m.entry.Parts {
			if part.RequestID != "" && part.RequestID != m.entry.RequestID {
				f.placed[part.RequestID] = append(f.placed[part.RequestID], m.entry)
			}
		}
	}
}

// place finds what of the fractions is in a request, by its items and later ones. Calls
// that an item may be of are unclear if there are several.
func place(here []*moving, r *Request, later []*Request) {
	free := slices.DeleteFunc(slices.Clone(r.Items), func(i Item) bool { return !i.Quantity.Known() })
	var whole, rest []*moving
	for _, m := range here {
		if at := slices.IndexFunc(free, func(i Item) bool { return i.Quantity == m.left }); at >= 0 {
			free = slices.Delete(free, at, at+1)
			whole = append(whole, m)
			continue
		}
		rest = append(rest, m)
	}
	placeRest(rest, whole, free, r, later)
	for _, m := range whole {
		if !m.unclear {
			m.stays(r, m.left)
		}
	}
}

func placeRest(rest, whole []*moving, free []Item, r *Request, later []*Request) {
	divided := false
	for _, m := range rest {
		part := m.dividedIn(free, later)
		rivals := slices.DeleteFunc(slices.Clone(whole), func(w *moving) bool { return w.left != m.left && !m.mayHave(w.left) })
		switch {
		case r.Status == Open:
			// The answer is older than the call, or the rest is not there yet.
			m.unclear = m.entry.RequestID == r.ID
		case part > 0 && !divided:
			divided = true
			m.stays(r, part)
		case len(rivals) > 0:
			for _, m := range append(rivals, m) {
				m.unclear, m.entry.Unclear = true, true
			}
		case m.left < model.GramsPerTonne && m.entry.RequestID == r.ID && listed(r):
			m.stays(r, 0)
		default:
			m.unclear = m.entry.RequestID == r.ID
		}
	}
}

func (m *moving) mayHave(grams model.Grams) bool {
	rest := m.left - grams
	return grams > 0 && rest > 0 && rest < model.GramsPerTonne
}

func listed(r *Request) bool {
	total, err := r.ItemsTotal()
	return err == nil && total == r.TotalQuantity
}

func (m *moving) stays(r *Request, grams model.Grams) {
	if grams < m.left || len(m.entry.Parts) > 0 {
		m.entry.Parts = append(m.entry.Parts, CallPart{r.ID, grams})
	}
	m.left -= grams
}

// madeWithin is how far the clocks of a call and of its item may be apart.
const madeWithin = 24 * time.Hour

// dividedIn returns the part of the call that is in the last of the items that may be one,
// 0 for none: a later request has the rest, or the item is as old as the call.
func (m *moving) dividedIn(items []Item, later []*Request) model.Grams {
	if m.left < model.GramsPerTonne && anyOf(later, m.left) {
		return 0
	}
	for _, i := range slices.Backward(items) {
		if !m.mayHave(i.Quantity) {
			continue
		}
		if anyOf(later, m.left-i.Quantity) || i.CreatedAt.Known() && i.CreatedAt.Time.Sub(m.entry.MadeAt).Abs() <= madeWithin {
			return i.Quantity
		}
	}
	return 0
}

func anyOf(requests []*Request, grams model.Grams) bool {
	return slices.ContainsFunc(requests, func(r *Request) bool {
		return slices.ContainsFunc(r.Items, func(i Item) bool { return i.Quantity == grams })
	})
}

// In returns how many grams of the call are in a request, and in earlier ones.
func (e JournalEntry) In(requestID string) (here, before model.Grams) {
	if len(e.Parts) == 0 {
		return e.Call.Quantity, 0
	}
	for _, p := range e.Parts {
		if p.RequestID == requestID {
			return p.Quantity, before
		}
		before += p.Quantity
	}
	return 0, before
}

// Where says where the grams of a divided call are; empty for any other call.
func (e JournalEntry) Where() string {
	if e.Unclear {
		return "not known how much of it is in " + e.RequestID
	}
	var parts []string
	for n, p := range e.Parts {
		switch {
		case p.Quantity == 0:
		case p.RequestID == "":
			parts = append(parts, p.Quantity.FormatTonnes()+" moved on to the next month's request")
		case n > 0:
			parts = append(parts, fmt.Sprintf("%s moved on to %s", p.Quantity.FormatTonnes(), p.RequestID))
		default:
			parts = append(parts, fmt.Sprintf("%s in %s", p.Quantity.FormatTonnes(), p.RequestID))
		}
	}
	return strings.Join(parts, ", ")
}
