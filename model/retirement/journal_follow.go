package retirement

import (
	"cmp"
	"slices"
	"time"

	"tonne/model"
)

// CallPart is the part of a call that is in one request. The id is empty if it is unknown.
type CallPart struct {
	RequestID string
	Quantity  model.Grams
}

// FollowCalls assigns successful calls to the requests that contain them. A fraction moves
// from month to month until there is a whole tonne (interface section 3). An item that
// crosses the last whole tonne is divided: its call has Parts, and is in the list of each
// request that the answers show to contain a part.
func FollowCalls(calls []JournalEntry, answers []*Request) map[string][]JournalEntry {
	placed := make(map[string][]JournalEntry)
	accounts, requests := tenants(calls)
	type gathered struct{ vintage, tenant string }
	fractions := make(map[gathered][]*moving)
	for _, c := range calls {
		switch of := (gathered{c.Call.VintageID, accounts[c.Account]}); {
		case c.RequestID == "":
		case c.Call.Quantity.IsWhole():
			placed[c.RequestID] = append(placed[c.RequestID], c)
		default:
			fractions[of] = append(fractions[of], &moving{entry: c, left: c.Call.Quantity})
		}
	}
	for of, calls := range fractions {
		follow(calls, gatherings(answers, func(r *Request) bool {
			tenant, known := requests[r.ID]
			return r.VintageID == of.vintage && (!known || tenant == of.tenant)
		}), func(before, r *Request) bool {
			tenant, known := requests[r.ID]
			return isLater(before, r) || known && tenant == of.tenant
		})
		for _, m := range calls {
			m.place(placed)
		}
	}
	return placed
}

// tenants maps each account and each request to one account of its tenant. Accounts with
// calls in the same request belong to the same tenant.
func tenants(calls []JournalEntry) (accounts, requests map[string]string) {
	accounts, requests = make(map[string]string), make(map[string]string)
	for _, c := range calls {
		if c.RequestID == "" {
			continue
		}
		if _, known := accounts[c.Account]; !known {
			accounts[c.Account] = c.Account
		}
		first, known := requests[c.RequestID]
		if !known {
			requests[c.RequestID] = c.Account
			continue
		}
		was, is := accounts[first], accounts[c.Account]
		for account, tenant := range accounts {
			if tenant == was {
				accounts[account] = is
			}
		}
	}
	for id, account := range requests {
		requests[id] = accounts[account]
	}
	return accounts, requests
}

func gatherings(answers []*Request, of func(*Request) bool) (chain []*Request) {
	for _, r := range answers {
		if r.Type == Fractionalised && of(r) {
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
	// left is the quantity that is not assigned yet. unclear reports that the answers are ambiguous.
	left    model.Grams
	unclear bool
	// last is the latest request that contains a part, or nil.
	last *Request
}

// isLater reports whether r is of a later month than before. A tenant has one request per
// month for the fractions of a vintage, unless an operator closes it early.
func isLater(before, r *Request) bool {
	const month = "2006-01"
	a, b := before.CreatedAt, r.CreatedAt
	return !a.Known() || !b.Known() || a.Time.UTC().Format(month) != b.Time.UTC().Format(month)
}

func follow(fractions []*moving, chain []*Request, after func(before, r *Request) bool) {
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
		split(here, r, later)
	}
}

// place adds the call to each request that has a part of it.
func (m *moving) place(placed map[string][]JournalEntry) {
	if len(m.entry.Parts) > 0 && m.left > 0 {
		m.entry.Parts = append(m.entry.Parts, CallPart{"", m.left})
	}
	ids := []string{m.entry.RequestID}
	for _, part := range m.entry.Parts {
		if part.RequestID != "" && part.RequestID != m.entry.RequestID {
			ids = append(ids, part.RequestID)
		}
	}
	for _, id := range ids {
		placed[id] = append(placed[id], m.entry)
	}
}

// split assigns fractions to a request by its items and the items of later requests. If an
// item matches several calls, these calls are unclear.
func split(here []*moving, r *Request, later []*Request) {
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
	splitRest(rest, whole, free, r, later)
	for _, m := range whole {
		if !m.unclear {
			m.stays(r, m.left)
		}
	}
}

func splitRest(rest, whole []*moving, free []Item, r *Request, later []*Request) {
	divided := false
	for _, m := range rest {
		part := m.dividedIn(free, later)
		rivals := slices.DeleteFunc(slices.Clone(whole),
			func(w *moving) bool { return w.left != m.left && !m.mayHave(w.left) })
		switch {
		case r.Status == Open:
			// The answer is older than the call, or the rest has not moved yet.
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

// madeWithin limits the difference between the times of a call and of its item.
const madeWithin = 24 * time.Hour

// dividedIn returns the part of the call in the last item that can be a part of it, or 0.
// An item can be a part if a later request has the rest, or if it is as old as the call.
func (m *moving) dividedIn(items []Item, later []*Request) model.Grams {
	if m.left < model.GramsPerTonne && anyOf(later, m.left) {
		return 0
	}
	for _, i := range slices.Backward(items) {
		if !m.mayHave(i.Quantity) {
			continue
		}
		if anyOf(later, m.left-i.Quantity) ||
			i.CreatedAt.Known() && i.CreatedAt.Time.Sub(m.entry.MadeAt).Abs() <= madeWithin {
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

// In returns the grams of the call that are in a request and in earlier requests.
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
