package cli

import "strings"

// roff is a manual page that is being written.
type roff struct{ strings.Builder }

func (p *roff) line(lines ...string) {
	for _, line := range lines {
		p.WriteString(line + "\n")
	}
}

func (p *roff) text(text string) { p.line(roffText(text)) }

func (p *roff) section(title string) { p.line(".SH " + strings.ToUpper(title)) }

func (p *roff) term(term, meaning string) {
	p.line(".TP", term)
	p.text(meaning)
}

func bold(text string) string { return `\fB` + roffText(text) + `\fP` }

func roffText(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`, `"`, `\(dq`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		return `\&` + text
	}
	return text
}
