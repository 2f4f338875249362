package preview

import (
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"tonne/api/audit/pdftext"
	"tonne/model"
	"tonne/model/localfile"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

type panel struct {
	title string
	// wrong is what speaks against the file, facts what is known of it; either
	// is empty for nothing.
	wrong, facts string
	inner        *textBody
	// leave ends what is read for the panel; open shows the certificate in a
	// browser, nil if there is no address.
	leave func()
	open  effect.Effect
	// path is that of the file, hidden are the tax ids that are masked in it.
	path   string
	hidden []string
}

func (p *panel) show(lines []string) { p.inner = &textBody{lines: lines} }

func (p *panel) take(c pdftext.Content, err error) {
	if c.Media != "" {
		p.facts = fmt.Sprintf("%s, %s bytes", c.Media, tab.Number(c.Size))
	}
	switch {
	case err != nil && c.Media == "":
		p.show([]string{"Not shown: " + localfile.Plain(err).Error() + ".", "The file: " + p.path, "d saves the certificate again."})
	case errors.Is(err, pdftext.ErrNoReader):
		p.show([]string{
			tab.Sentence(err), "", "Until then open the file with a program that shows PDFs:", "", p.path, "", "y copies its path.",
		})
	case errors.Is(err, pdftext.ErrPicture):
		p.show([]string{tab.Sentence(err), "", "Open the file with a program that shows pictures:", "", p.path, "", "y copies its path."})
	case err != nil:
		p.show([]string{tab.Sentence(err), "", "The file: " + p.path, "y copies its path."})
	default:
		p.facts += ", " + model.Count(len(c.Pages), "page", "pages")
		for i, page := range c.Pages {
			c.Pages[i] = maskLines(page, p.hidden)
		}
		p.show(pageLines(c))
	}
}

func pageLines(c pdftext.Content) []string {
	var lines []string
	for n, page := range c.Pages {
		if n > 0 {
			lines = append(lines, "", fmt.Sprintf("— page %d —", n+1))
		}
		lines = append(lines, page...)
	}
	if c.Cut {
		lines = append(lines, "", "— the certificate may go on: no more of it is read here —")
	}
	return lines
}

// Title names the certificate.
func (p *panel) Title() string { return p.title }

// Size asks for what is shown, what is known of the file, and the keys.
func (p *panel) Size(width, height int) (w, h int) {
	w, h = p.inner.size(width, max(height-p.around(), 1))
	return w, min(height, h+p.around())
}

func (p *panel) around() int {
	lines := 1
	for _, line := range [...]string{p.wrong, p.facts} {
		if line != "" {
			lines++
		}
	}
	return lines
}

// Draw draws what is known of the file, what it shows, and the keys.
func (p *panel) Draw(b *style.Block) *tea.Cursor {
	if p.wrong != "" {
		b.Put(style.Warning, p.wrong)
	}
	if p.facts != "" {
		b.Put(style.Muted, p.facts)
	}
	p.inner.draw(b)
	keys := "Esc closes"
	if p.open != nil {
		keys += " · o opens it in a browser"
	}
	if scroll := p.inner.keys(); scroll != "" {
		keys = scroll + " · " + keys
	}
	b.Put(style.Faint, keys)
	return nil
}

// Press scrolls, opens the certificate elsewhere, or closes.
func (p *panel) Press(msg tea.KeyPressMsg) (bool, effect.Effect) {
	switch key := msg.Keystroke(); key {
	case "esc", "q", "p", "enter":
		p.leave()
		return true, nil
	case "y":
		return false, effect.Copy{Text: p.path, What: "the path of the certificate"}
	case "o":
		if p.open != nil {
			p.leave()
			return true, p.open
		}
	default:
		p.inner.press(key)
	}
	return false, nil
}

// Paste takes nothing.
func (p *panel) Paste(tea.PasteMsg) effect.Effect { return nil }
