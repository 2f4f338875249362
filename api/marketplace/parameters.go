package marketplace

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"tonne/model"
)

// Limits of the listings: interface section 8 gives the defaults.
const (
	defaultPage    = 1
	defaultPerPage = 20
	maxPerPage     = 100
	// maxPage is the largest integer that every JSON parser reads exactly.
	maxPage = 1<<53 - 1
)

type parameters struct {
	faults
	query url.Values
}

func parametersOf(r *http.Request) parameters {
	query, err := url.ParseQuery(r.URL.RawQuery)
	p := parameters{query: query}
	if err != nil {
		p.add("the query must be made of name=value pairs, joined by & and percent-encoded")
	}
	return p
}

// text returns a parameter that may be given once and without brackets: otherwise a client
// that sends page[]=2 would get page 1.
func (p *parameters) text(name string) (text string, given bool) {
	for other := range p.query {
		if strings.HasPrefix(other, name+"[") {
			p.add(name + " must be given as " + name + ", without brackets")
			return "", false
		}
	}
	values := p.query[name]
	if len(values) > 1 {
		p.add(name + " must be given once")
	}
	if len(values) != 1 {
		return "", false
	}
	return values[0], true
}

func (p *parameters) number(name string, least, byDefault int64) int64 {
	text, given := p.text(name)
	if !given {
		return byDefault
	}
	n, err := model.ParseDigits(text)
	switch {
	case errors.Is(err, model.ErrOutOfRange):
		return math.MaxInt64
	case err != nil || n < least:
		p.add(fmt.Sprintf("%s must be a whole number of %d or more", name, least))
		return byDefault
	}
	return n
}

func (p *parameters) oneOf(name string, texts ...string) string {
	text, given := p.text(name)
	if given && !slices.Contains(texts, text) {
		p.add(name + " must be " + strings.Join(texts, " or "))
	}
	return text
}

func (p *parameters) flag(name string) bool { return p.oneOf(name, "true", "false") == "true" }

func (p *parameters) page() (page, perPage int) {
	requested := p.number("page", 1, defaultPage)
	if requested > maxPage {
		p.add(fmt.Sprintf("page must be at most %d", int64(maxPage)))
	}
	page = int(min(requested, math.MaxInt))
	perPage = int(min(p.number("per_page", 1, defaultPerPage), maxPerPage))
	return page, perPage
}

func pageOf(items, page, perPage int) (first, end int, p model.Page) {
	p = model.Page{PerPage: perPage, TotalItems: items, Current: page, TotalPages: (items + perPage - 1) / perPage}
	if page > p.TotalPages {
		return items, items, p
	}
	first = (page - 1) * perPage
	return first, min(first+perPage, items), p
}
