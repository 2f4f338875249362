package market

import (
	"strings"

	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

const fieldWidth = 14

type projectPane struct {
	prose
	safe func(url string) (host string, err error)
}

func (*projectPane) note(line *style.Line, s subject) { s.vintageNote(line) }

func (*projectPane) copyID(s subject) (effect.Copy, bool) {
	if !s.selected {
		return effect.Copy{}, false
	}
	return effect.Copy{Text: s.projectID(), What: "the project's id"}, true
}

func (p *projectPane) draw(block *style.Block, s subject) {
	p.address = s.row.project().RegistryURL
	p.put(block, p.lines(s.row, block.Width()-2))
}

func (p *projectPane) lines(r row, width int) []style.Spans {
	details := r.project()
	if details.ID == "" {
		return []style.Spans{style.Put(style.Muted, "The details of "+r.projectID()+" are not loaded yet.")}
	}
	width = max(min(width, 100), 20)
	lines := []style.Spans{style.Put(style.Name, details.Name).Put(style.Faint, "  "+details.ID)}
	add := func(name string, role style.Role, value string) {
		for _, line := range style.Wrap(value, width-fieldWidth) {
			if value != "" {
				lines = append(lines, labelled(fieldWidth, name, role, line))
			}
			name = ""
		}
	}
	add("type", style.Text, details.Type)
	add("country", style.Text, details.Country)
	add("vintages", style.Text, years(details))
	add("registry", style.Text, strings.TrimSpace(details.RegistryName+"  "+details.RegistryID))
	add("page", p.linkRole(details.RegistryURL), details.RegistryURL)
	add("SDGs", style.Text, strings.Join(details.SDGs, ", "))
	for _, f := range details.Extra {
		add(f.Name, style.Text, f.Value)
	}
	if details.Description != "" {
		lines = append(lines, style.Spans{})
		for _, line := range style.Wrap(details.Description, width) {
			lines = append(lines, style.Put(style.Text, line))
		}
	}
	return lines
}

func years(p model.Project) string {
	var known []string
	for _, v := range p.Vintages {
		known = append(known, tab.Year(v.Year))
	}
	return strings.Join(known, ", ")
}

func (p *projectPane) linkRole(address string) style.Role {
	if p.safe == nil {
		return style.Text
	}
	if _, err := p.safe(address); err != nil {
		return style.Text
	}
	return style.Link
}
