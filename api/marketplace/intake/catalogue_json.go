package intake

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"

	"tonne/api/marketplace/exchange"
)

// document reads JSON by its tokens, so that what is wrong is named with its
// line. After the first mistake of form nothing more is read.
type document struct {
	*faults
	text []byte
	dec  *json.Decoder
	// lines counts the lines up to an offset that was reached before.
	line, offset int
	broken       bool
	objects      int
}

func readProjects(text []byte, f *faults) []exchange.CatalogueProject {
	d := &document{faults: f, text: text, dec: json.NewDecoder(bytes.NewReader(text)), line: 1}
	d.dec.UseNumber()
	var projects []exchange.CatalogueProject
	d.object(map[string]any{"projects": func() { projects = append(projects, d.project()) }})
	if _, err := d.dec.Token(); !d.broken && !errors.Is(err, io.EOF) {
		d.Add(d.here(), "has something behind the end of the JSON")
	}
	return projects
}

func (d *document) project() (p exchange.CatalogueProject) {
	p.Line = d.object(map[string]any{
		"project_id": &p.ID, "project_name": &p.Name, "type": &p.Type, "location": &p.Country, "registry_project_url": &p.RegistryURL,
		"registry_id": &p.RegistryID, "registry_name": &p.RegistryName, "description": &p.Description,
		"sdgs":     func() { p.SDGs = append(p.SDGs, d.string("sdgs")) },
		"vintages": func() { p.Vintages = append(p.Vintages, d.vintage()) },
	})
	return p
}

func (d *document) vintage() (v exchange.CatalogueVintage) {
	v.Line = d.object(map[string]any{"vintage_id": &v.ID, "vintage_year": &v.Year, "registry_vintage_url": &v.RegistryURL})
	return v
}

func (d *document) here() int {
	now := int(d.dec.InputOffset())
	d.line += bytes.Count(d.text[d.offset:now], []byte("\n"))
	d.offset = now
	return d.line
}

func (d *document) token() json.Token {
	if d.broken {
		return nil
	}
	t, err := d.dec.Token()
	if err != nil {
		d.broken = true
		d.Add(d.here(), "or the one after it is not JSON: %v", err)
		return nil
	}
	return t
}

// object reads an object with the members: each is a *string, the *int of a year,
// or a function that reads an element of an array.
func (d *document) object(members map[string]any) (line int) {
	t := d.token()
	line = d.here()
	if d.objects++; d.objects > MaxLines && !d.broken {
		d.broken = true
		d.Add(line, "is beyond the %d objects that a file may have: split it", MaxLines)
	}
	if d.broken {
		return line
	}
	if t != json.Delim('{') {
		d.wrong(line, t, "an object")
		return line
	}
	seen := make(map[string]bool)
	for !d.broken && d.dec.More() {
		name, _ := d.token().(string)
		if d.broken {
			return line
		}
		if seen[name] {
			d.Add(d.here(), "names the member %q twice", name)
		}
		seen[name] = true
		switch to := members[name].(type) {
		case *string:
			*to = d.string(name)
		case *int:
			*to = d.year(name)
		case func():
			d.array(to)
		default:
			d.unknown(d.here(), name)
		}
	}
	d.token()
	return line
}

func (d *document) array(element func()) {
	t := d.token()
	if t == nil {
		return
	}
	if t != json.Delim('[') {
		d.wrong(d.here(), t, "an array")
		return
	}
	for !d.broken && d.dec.More() {
		element()
	}
	d.token()
}

func (d *document) string(name string) string {
	t := d.token()
	text, ok := t.(string)
	if !ok && t != nil {
		d.wrong(d.here(), t, name+" as a string")
	}
	return text
}

func (d *document) year(name string) int {
	t := d.token()
	n, ok := t.(json.Number)
	if !ok && t != nil {
		d.wrong(d.here(), t, name+" as a number")
	}
	year, _ := strconv.ParseUint(n.String(), 10, 16)
	return int(year)
}

func (d *document) wrong(line int, t json.Token, want string) {
	d.Add(line, "needs %s", want)
	open := 0
	for {
		switch t {
		case json.Delim('{'), json.Delim('['):
			open++
		case json.Delim('}'), json.Delim(']'):
			open--
		}
		if open <= 0 || d.broken {
			return
		}
		t = d.token()
	}
}

func (d *document) unknown(line int, name string) {
	var value json.RawMessage
	if err := d.dec.Decode(&value); err != nil {
		d.broken = true
		d.Add(line, "or the one after it is not JSON: %v", err)
		return
	}
	d.Add(line, "has a member %q that is not known", name)
}
