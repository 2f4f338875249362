// Package filter is the language in which people narrow a list of vintages:
// words, and what its columns have to be.
//
//	bale "clean cooking"|stove !wind ask<10 vintage>=2022 available>=500 type:cookstoves country:kenya,uganda paid
//
// All parts have to hold; an exclamation mark in front of one turns it round.
// Of words with a bar between them, and of the texts of a field with commas
// between them, one is enough.
package filter

import (
	"slices"
	"unicode/utf8"

	"tonne/model"
	"tonne/model/country"
)

// Row is a vintage. Unknown values are empty, 0, UnknownPrice or UnknownGrams.
type Row struct {
	Name, ProjectID, VintageID string
	// Wallet is the type of a wallet, for a list of wallets.
	Wallet string
	// Country is an ISO 3166-1 alpha-2 code.
	Type, Country, Registry, RegistryID string
	Year                                int
	BestAsk, LastPaid                   model.PriceCents
	// Available is for sale, Held is in the wallets.
	Available, Held model.Grams
	// Labels is model.BuyerFacts.Labels of the credits; nil for no labels.
	Labels func() []string
}

// Filter is an expression. The zero value lets everything pass. It is never changed.
type Filter struct {
	words      []word
	conditions []condition
}

// Empty reports whether everything passes.
func (f Filter) Empty() bool { return len(f.words) == 0 && len(f.conditions) == 0 }

// Words reports whether the filter looks for words.
func (f Filter) Words() bool { return len(f.words) > 0 }

// Needs are the parts of a row that a filter looks at, of those that cost something.
type Needs struct {
	// Details are the texts and the ids.
	Details            bool
	Paid, Held, Labels bool
}

// Needs returns what the filter looks at: the rest of a row may be left out.
func (f Filter) Needs() (n Needs) {
	n.Details = f.Words()
	for _, c := range f.conditions {
		switch c.field {
		case fieldAsk, fieldAvailable, fieldVintage:
		case fieldPaid:
			n.Paid = true
		case fieldHeld:
			n.Held = true
		case fieldLabel:
			n.Labels = true
		default:
			n.Details = true
		}
	}
	return n
}

// MaxAsk returns the highest best ask that passes, if there is a limit.
func (f Filter) MaxAsk() (price model.PriceCents, ok bool) {
	for _, c := range f.conditions {
		if c.field != fieldAsk || c.without {
			continue
		}
		most := model.PriceCents(c.number)
		switch c.op {
		case model.Below:
			most--
		case model.AtMost, model.Equal:
		default:
			continue
		}
		if most >= 0 && (!ok || most < price) {
			price, ok = most, true
		}
	}
	return price, ok
}

// Market reports whether the filter is on the best ask or what is available.
func (f Filter) Market() bool {
	return slices.ContainsFunc(f.conditions, func(c condition) bool { return c.field == fieldAsk || c.field == fieldAvailable })
}

// Match reports whether a row passes.
func (f Filter) Match(r *Row) bool { return f.Rank(r) != Out }

// Rank says whether a row passes, and how well.
type Rank int8

const (
	// Out is a row that does not pass.
	Out Rank = iota
	// ByID is a row that passes because a word is in an id, and in nothing that
	// people read.
	ByID
	// In is any other row that passes.
	In
)

// Rank returns the rank of a row.
func (f Filter) Rank(r *Row) Rank {
	for i := range f.conditions {
		if c := &f.conditions[i]; c.isMet(r) == c.without {
			return Out
		}
	}
	if !f.Words() {
		return In
	}
	var x Index
	x.add(r)
	return f.rank(&x.rows[0], x.text)
}

// Without returns the filter without its words.
func (f Filter) Without() Filter { return Filter{conditions: f.conditions} }

// Span is a part of a text, in bytes: from and up to but not including to.
type Span struct{ From, To int }

// widest is how much of a text Spans looks at, in bytes: names may be pages long.
const widest = 1000

// Spans returns the parts of a text that words and conditions match, in order, up to its
// first 1,000 bytes.
func (f Filter) Spans(text string) []Span {
	if len(text) > widest {
		end := widest
		for !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	m := newMarker(text)
	for i := range f.words {
		if !f.words[i].without {
			m.word(&f.words[i])
		}
	}
	for _, c := range f.conditions {
		switch {
		case c.without, c.field == fieldLabel:
		case slices.Contains(c.codes, text):
			return []Span{{0, len(text)}}
		default:
			for _, part := range c.texts {
				m.phrase(part)
			}
		}
	}
	var spans []Span
	for i, marked := range m.marked {
		switch {
		case !marked:
		case i > 0 && m.marked[i-1]:
			spans[len(spans)-1].To = i + 1
		default:
			spans = append(spans, Span{i, i + 1})
		}
	}
	return spans
}

// CountrySpans is Spans of a country's code, which its names match as a whole.
func (f Filter) CountrySpans(code string) []Span {
	var names Index
	for _, name := range country.Names(code) {
		names.field(name)
	}
	names.close(0, len(names.text))
	for i := range f.words {
		if w := &f.words[i]; !w.without && w.rank(&names.rows[0], names.text) == In {
			return []Span{{0, len(code)}}
		}
	}
	return f.Spans(code)
}
