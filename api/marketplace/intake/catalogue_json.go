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
	d.object(func(name string, line int) {
		if name != "projects" {
			d.unknown(line, name)
			return
		}
		d.array(func() { projects = append(projects, d.project()) })
	})
	if _, err := d.dec.Token(); !d.broken && !errors.Is(err, io.EOF) {
		d.Add(d.here(), "has something behind the end of the JSON")
	}
	return projects
}

func (d *document) project() (p exchange.CatalogueProject) {
	p.Line = d.object(func(name string, line int) {
		switch name {
		case "project_id":
			p.ID = d.string(name)
		case "project_name":
			p.Name = d.string(name)
		case "type":
			p.Type = d.string(name)
		case "location":
			p.Country = d.string(name)
		case "registry_project_url":
			p.RegistryURL = d.string(name)
		case "registry_id":
			p.RegistryID = d.string(name)
		case "registry_name":
			p.RegistryName = d.string(name)
		case "description":
			p.Description = d.string(name)
		case "sdgs":
			d.array(func() { p.SDGs = append(p.SDGs, d.string(name)) })
		case "vintages":
			d.array(func() { p.Vintages = append(p.Vintages, d.vintage()) })
		default:
			d.unknown(line, name)
		}
	})
	return p
}

func (d *document) vintage() (v exchange.CatalogueVintage) {
	v.Line = d.object(func(name string, line int) {
		switch name {
		case "vintage_id":
			v.ID = d.string(name)
		case "vintage_year":
			v.Year = d.year()
		case "registry_vintage_url":
			v.RegistryURL = d.string(name)
		default:
			d.unknown(line, name)
		}
	})
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

func (d *document) object(member func(name string, line int)) (line int) {
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
		member(name, d.here())
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

func (d *document) year() int {
	t := d.token()
	n, ok := t.(json.Number)
	if !ok && t != nil {
		d.wrong(d.here(), t, "vintage_year as a number")
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
