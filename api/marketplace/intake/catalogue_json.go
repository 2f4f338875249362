package intake

import (
	"bytes"
	"errors"
	"maps"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tonne/api/marketplace/exchange"
	"tonne/api/wire"
)

// element is an element of an array. It is parsed later, so that errors name each wrong
// element. end is the offset of its end in the text of the array.
type element struct {
	value jsontext.Value
	end   int
}

// UnmarshalJSONFrom stores the next value without parsing it.
func (e *element) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	value, err := dec.ReadValue()
	e.value, e.end = value.Clone(), int(dec.InputOffset())
	return err
}

// document reads the values of a file in order, and counts lines.
type document struct {
	*faults
	text         []byte
	line, offset int
	objects      int
}

func readProjects(text []byte, f *faults) (projects []exchange.CatalogueProject) {
	d := &document{faults: f, text: text, line: 1}
	// The format is that of GET /api/projects (interface section 4.4).
	var all []element
	if d.read(text, 0, map[string]any{"projects": &all}); f.Err() != nil {
		return nil
	}
	for _, e := range all {
		var p exchange.CatalogueProject
		var sdgs []string
		var vintages []element
		at := e.end - len(e.value)
		p.Line = d.read(e.value, at, map[string]any{
			"project_id": &p.ID, "project_name": &p.Name, "type": &p.Type, "location": &p.Country,
			"registry_project_url": &p.RegistryURL,
			"registry_id":          &p.RegistryID, "registry_name": &p.RegistryName, "description": &p.Description,
			"sdgs": &sdgs, "vintages": &vintages,
		})
		p.SDGs = append(p.SDGs, sdgs...)
		for _, e := range vintages {
			var v exchange.CatalogueVintage
			v.Line = d.read(e.value, at+e.end-len(e.value),
				map[string]any{"vintage_id": &v.ID, "vintage_year": &v.Year, "registry_vintage_url": &v.RegistryURL})
			p.Vintages = append(p.Vintages, v)
		}
		projects = append(projects, p)
		if d.objects > MaxLines {
			d.Add(p.Line, "exceeds the limit of %d objects: split the file", MaxLines)
			break
		}
	}
	return projects
}

// read parses the object at an offset of the file into members, which are pointers, and
// returns its line. Each error has the line where it occurs.
func (d *document) read(value []byte, at int, members map[string]any) (line int) {
	d.line += bytes.Count(d.text[d.offset:at], []byte("\n"))
	d.offset = at
	d.objects++
	known := maps.Clone(members)
	err := json.Unmarshal(value, &members)
	for name := range members {
		if _, ok := known[name]; !ok {
			d.Add(d.line, "has an unknown member: %s", wire.Clean(name))
		}
	}
	wrong := func(offset int64, format string, args ...any) {
		d.Add(d.line+bytes.Count(value[:offset], []byte("\n")), format, args...)
	}
	syntax, isSyntax := errors.AsType[*jsontext.SyntacticError](err)
	kind, isKind := errors.AsType[*json.SemanticError](err)
	switch {
	case isSyntax:
		wrong(syntax.ByteOffset, "or the next one is not valid JSON: %s", wire.Clean(syntax.Error()))
	case isKind:
		wrong(kind.ByteOffset, "has a value of the wrong type for %s", wire.Clean(string(kind.JSONPointer)))
	case err != nil:
		wrong(0, "cannot be read: %s", wire.Clean(err.Error()))
	}
	return d.line
}
