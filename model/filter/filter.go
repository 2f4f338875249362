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

// Row is what filters look at of a vintage. What is not known is empty, 0,
// UnknownPrice or UnknownGrams.
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
	// Labels returns what the buyer knows of the credits, as
	// model.BuyerFacts.Labels does; nil for nothing.
	Labels func() []string
}

// Filter is an expression that was understood. The zero value lets everything
// pass. It is never changed.
type Filter struct {
	words      []word
	conditions []condition
}

// Empty reports whether everything passes.
func (f Filter) Empty() bool { return len(f.words) == 0 && len(f.conditions) == 0 }

// Words reports whether the filter looks for words.
func (f Filter) Words() bool { return len(f.words) > 0 }

// Needs are the parts of a row that a filter looks at, for those who pay for
// each. The best ask, what is available and the year come for nothing.
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

// MaxAsk returns the highest price that the filter lets the best ask have. It is
// false if the filter does not limit it from above.
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

// Market reports whether the filter looks at what is for sale: the best ask or
// what is available.
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

// Without returns the filter without its words: what is left to ask where words
// are looked up in another way.
func (f Filter) Without() Filter { return Filter{conditions: f.conditions} }

// Span is a part of a text, in bytes: from and up to but not including to.
type Span struct{ From, To int }

// widest is how much of a text Spans looks at, in bytes: more than a column of
// any terminal shows. A name may be longer than a page.
const widest = 1000

// Spans returns the parts of a text that the words of the filter match, and
// what conditions on texts match. They are in order and do not touch. Nothing
// behind the first 1,000 bytes is looked at.
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

// CountrySpans returns the parts of the code of a country that match: all of it
// if the country is looked for by its name.
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
