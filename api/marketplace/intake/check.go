package intake

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"tonne/api/marketplace/exchange"
	"tonne/api/wire"
)

const (
	maxID          = 64
	maxName        = 255
	maxURL         = 2000
	maxDescription = 4000
	maxSDGs        = 17
)

const firstYear, lastYear = 1900, 2100

func (f *faults) text(line int, name, text string, longest int) {
	switch {
	case utf8.RuneCountInString(text) > longest:
		f.Add(line, "has a %s of more than %d characters", name, longest)
	case !wire.IsClean(text):
		f.Add(line, "has a %s with control characters, or characters that hide or reorder text", name)
	case strings.ContainsRune(text, utf8.RuneError):
		f.Add(line, "has a %s with U+FFFD, which replaces lost text", name)
	}
}

func (f *faults) required(line int, name, text string) {
	if strings.TrimSpace(text) == "" {
		f.Add(line, "lacks a %s", name)
		return
	}
	f.text(line, name, text, maxName)
}

// id checks that an id can be part of a path, of a list of ids and of the market.
func (f *faults) id(line int, name, id string) {
	for i := range len(id) {
		switch c := id[i]; {
		case c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c == '-', c == '_':
		default:
			f.Add(line, "has a %s with characters other than letters, digits, - and _", name)
			return
		}
	}
	if len(id) > maxID {
		f.Add(line, "has a %s of more than %d characters", name, maxID)
	}
}

func (f *faults) page(line int, name, address string) {
	if address == "" {
		return
	}
	f.text(line, name, address, maxURL)
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		f.Add(line, "has a %s that is not a URL such as https://registry.example/1", name)
	}
}

func (f *faults) project(p exchange.CatalogueProject) {
	f.id(p.Line, "project_id", p.ID)
	f.required(p.Line, "project_name", p.Name)
	f.required(p.Line, "type", p.Type)
	f.required(p.Line, "registry_name", p.RegistryName)
	f.text(p.Line, "registry_id", p.RegistryID, maxName)
	f.text(p.Line, "description", p.Description, maxDescription)
	f.page(p.Line, "registry_project_url", p.RegistryURL)
	if !exchange.IsCountry(p.Country) {
		f.Add(p.Line, "has an unknown country %q: use a two-letter code of ISO 3166-1", p.Country)
	}
	if len(p.SDGs) > maxSDGs {
		f.Add(p.Line, "has more than %d sdgs", maxSDGs)
	}
	for _, name := range p.SDGs {
		f.required(p.Line, "name in sdgs", name)
		if strings.Contains(name, betweenSDGs) || strings.TrimSpace(name) != name {
			f.Add(p.Line, "has a name in sdgs with a semicolon, or with leading or trailing blanks")
		}
	}
}

func (f *faults) vintage(v exchange.CatalogueVintage) {
	f.id(v.Line, "vintage_id", v.ID)
	f.page(v.Line, "registry_vintage_url", v.RegistryURL)
	if v.Year < firstYear || v.Year > lastYear {
		f.Add(v.Line, "needs a vintage_year from %d to %d", firstYear, lastYear)
	}
}

func (f *faults) positive(line int, name string, n int64) int64 {
	if n == 0 {
		f.Add(line, "needs a whole number above 0 as %s", name)
	}
	return n
}

func (f *faults) sort() {
	slices.SortStableFunc(f.Faults, func(a, b exchange.LineFault) int { return a.Line - b.Line })
}
