package marketplace

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"

	"tonne/model"
)

// Limits of the listings (interface section 8 gives the defaults, the maximum
// is ours).
const (
	defaultPage    = 1
	defaultPerPage = 20
	maxPerPage     = 100
)

// parameters reads the query of a request and collects what is wrong with it.
type parameters struct {
	faults
	query url.Values
}

// parametersOf reads the query of a request. What cannot be read is not left
// out in silence: the answer would look like one to what was asked.
func parametersOf(r *http.Request) parameters {
	query, err := url.ParseQuery(r.URL.RawQuery)
	p := parameters{query: query}
	if err != nil {
		p.add("the query must be made of name=value pairs, joined by & and percent-encoded")
	}
	return p
}

// text returns a parameter that may be given once.
func (p *parameters) text(name string) string {
	values := p.query[name]
	if len(values) > 1 {
		p.add(name + " must be given once")
	}
	if len(values) != 1 {
		return ""
	}
	return values[0]
}

// number returns a parameter that must be digits, or the default where it is
// absent.
func (p *parameters) number(name string, least, byDefault int64) int64 {
	if !p.query.Has(name) {
		return byDefault
	}
	text := p.text(name)
	n, err := model.ParseDigits(text)
	switch {
	case len(p.query[name]) > 1: // text has said so
		return byDefault
	case errors.Is(err, model.ErrOutOfRange):
		return math.MaxInt64
	case err != nil || n < least:
		p.add(fmt.Sprintf("%s must be a whole number of %d or more", name, least))
		return byDefault
	}
	return n
}

// flag returns a parameter that is true or false, and false where it is absent.
func (p *parameters) flag(name string) bool {
	text := p.text(name)
	switch text {
	case "", "false":
	case "true":
		return true
	default:
		p.add(name + " must be true or false")
	}
	return false
}

// page returns the page that was asked for and its size. A size beyond the
// maximum becomes the maximum; the answer's pagination says so.
func (p *parameters) page() (page, perPage int) {
	page = int(min(p.number("page", 1, defaultPage), math.MaxInt32))
	perPage = int(min(p.number("per_page", 1, defaultPerPage), maxPerPage))
	return page, perPage
}

// pageOf returns which of a number of items stand on a page, as the bounds of
// a slice, and the pagination object.
func pageOf(items, page, perPage int) (first, end int, p model.Page) {
	p = model.Page{PerPage: perPage, TotalItems: items, Current: page, TotalPages: (items + perPage - 1) / perPage}
	if page > p.TotalPages {
		return items, items, p
	}
	first = (page - 1) * perPage
	return first, min(first+perPage, items), p
}
