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

// element is an element of an array that is read later, so that each wrong one is
// named. It ends at an offset in the text that the array was read from.
type element struct {
	value jsontext.Value
	end   int
}

// UnmarshalJSONFrom keeps the value that is next.
func (e *element) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	value, err := dec.ReadValue()
	e.value, e.end = value.Clone(), int(dec.InputOffset())
	return err
}

// document reads values of a file from its start to its end.
type document struct {
	*faults
	text         []byte
	line, offset int
	objects      int
}

func readProjects(text []byte, f *faults) (projects []exchange.CatalogueProject) {
	d := &document{faults: f, text: text, line: 1}
	// As GET /api/projects answers it (interface section 4.4).
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
			"project_id": &p.ID, "project_name": &p.Name, "type": &p.Type, "location": &p.Country, "registry_project_url": &p.RegistryURL,
			"registry_id": &p.RegistryID, "registry_name": &p.RegistryName, "description": &p.Description, "sdgs": &sdgs, "vintages": &vintages,
		})
		p.SDGs = append(p.SDGs, sdgs...)
		for _, e := range vintages {
			var v exchange.CatalogueVintage
			v.Line = d.read(e.value, at+e.end-len(e.value), map[string]any{"vintage_id": &v.ID, "vintage_year": &v.Year, "registry_vintage_url": &v.RegistryURL})
			p.Vintages = append(p.Vintages, v)
		}
		projects = append(projects, p)
		if d.objects > MaxLines {
			d.Add(p.Line, "has the last of the %d objects that a file may have: split it", MaxLines)
			break
		}
	}
	return projects
}

// read reads the object at an offset of the file into members, which are pointers, and
// returns its line. What is wrong with it is named with its own line.
func (d *document) read(value []byte, at int, members map[string]any) (line int) {
	d.line += bytes.Count(d.text[d.offset:at], []byte("\n"))
	d.offset = at
	d.objects++
	known := maps.Clone(members)
	err := json.Unmarshal(value, &members)
	for name := range members {
		if _, ok := known[name]; !ok {
			d.Add(d.line, "has a member that is not known: %s", wire.Clean(name))
		}
	}
	wrong := func(offset int64, format string, args ...any) {
		d.Add(d.line+bytes.Count(value[:offset], []byte("\n")), format, args...)
	}
	syntax, isSyntax := errors.AsType[*jsontext.SyntacticError](err)
	kind, isKind := errors.AsType[*json.SemanticError](err)
	switch {
	case isSyntax:
		wrong(syntax.ByteOffset, "or the one after it is not JSON: %s", wire.Clean(syntax.Error()))
	case isKind:
		wrong(kind.ByteOffset, "has a value of another kind than %s takes", wire.Clean(string(kind.JSONPointer)))
	case err != nil:
		wrong(0, "cannot be read: %s", wire.Clean(err.Error()))
	}
	return d.line
}
