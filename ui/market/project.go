package market

import (
	"strings"

	"charm.land/lipgloss/v2"

	"tonne/ui/paint"
)

// projectLines is what is known of the selected vintage's project.
func (p *pane) projectLines(r row, width int) []text {
	details := r.project()
	if details.ID == "" {
		return []text{{{paint.Muted, "The details of " + r.projectID() + " are not known yet."}}}
	}
	var lines []text
	field := func(name, value string) {
		if value != "" {
			lines = append(lines, text{{paint.Muted, name + strings.Repeat(" ", max(12-len(name), 1))}, {paint.Text, value}})
		}
	}
	lines = append(lines, text{{paint.Name, details.Name}, {paint.Faint, "  " + details.ID}})
	field("type", details.Type)
	field("country", details.Country)
	field("registry", strings.TrimSpace(details.RegistryName+"  "+details.RegistryID))
	field("page", details.RegistryURL)
	field("SDGs", strings.Join(details.SDGs, ", "))
	for _, f := range details.Extra {
		field(f.Name, f.Value)
	}
	if details.Description != "" {
		lines = append(lines, text{})
		for line := range strings.SplitSeq(lipgloss.Wrap(details.Description, max(min(width, 100), 20), " "), "\n") {
			lines = append(lines, text{{paint.Text, line}})
		}
	}
	return lines
}
