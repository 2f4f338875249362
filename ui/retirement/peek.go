package retirement

import (
	"fmt"
	"net/http"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/paint"
	"tonne/ui/pdftext"
	"tonne/ui/view"
)

// peek shows the certificate that was saved, in the terminal.
func (t *Tab) peek() tea.Cmd {
	e, _ := t.selected()
	title, path := "Certificate of "+e.name(), e.certificate.Path
	return func() tea.Msg {
		content, err := readRegular(path, largestCertificate)
		if err != nil {
			return view.Toast{Text: "Not shown: " + err.Error() + ". d saves the certificate again.", Bad: true}
		}
		return view.Lay{Panel: newPreview(title, content)}
	}
}

// newPreview returns a panel that shows a certificate, or says why it cannot.
func newPreview(title string, content []byte) view.Panel {
	kind := http.DetectContentType(content)
	p := &textPanel{title: title}
	p.facts = fmt.Sprintf("%s, %s bytes", kind, view.Number(int64(len(content))))
	if strings.HasPrefix(kind, "image/") {
		picture, err := readPicture(content)
		if err == nil {
			return &picturePanel{title: title, picture: picture}
		}
		p.text = []string{sentence(err), "o opens it in a browser."}
		return p
	}
	pages, err := pdftext.Read(content)
	if err != nil {
		p.text = []string{sentence(err), "o opens it in a browser."}
		return p
	}
	p.facts += ", " + view.Count(pages.Total, "page", "pages")
	for n, text := range pages.Pages {
		if n > 0 {
			p.text = append(p.text, "", fmt.Sprintf("— page %d —", n+1))
		}
		p.text = append(p.text, text...)
	}
	if strings.Join(p.text, "") == "" {
		p.text = []string{"No text was found in it: its pages may be pictures.", "o opens it in a browser."}
	}
	return p
}

// textPanel shows lines of text that can be scrolled.
type textPanel struct {
	title, facts string
	text         []string

	// wrapped is the text in a width.
	wrapped      []string
	width        int
	scroll, page int
}

// Title names the certificate.
func (p *textPanel) Title() string { return p.title }

// Size asks for a line of text each, and two for what is known of the file
// and the keys.
func (p *textPanel) Size(width, height int) (w, h int) {
	w = min(width, 96)
	p.wrap(w)
	return w, min(height, len(p.wrapped)+3)
}

func (p *textPanel) wrap(width int) {
	if p.width == width {
		return
	}
	p.width, p.wrapped = width, nil
	for _, line := range p.text {
		if paint.Width(line) <= width {
			p.wrapped = append(p.wrapped, line)
			continue
		}
		p.wrapped = append(p.wrapped, wrap(line, width)...)
	}
}

// Draw draws the lines that fit.
func (p *textPanel) Draw(b *paint.Block) *tea.Cursor {
	p.wrap(b.Width())
	b.Put(paint.Muted, p.facts)
	p.page = max(b.Room()-1, 1)
	p.scroll = max(min(p.scroll, len(p.wrapped)-p.page), 0)
	for _, line := range p.wrapped[p.scroll:min(p.scroll+p.page, len(p.wrapped))] {
		b.Put(paint.Text, line)
	}
	b.Blank(b.Room() - 1)
	keys := "Esc closes"
	if len(p.wrapped) > p.page {
		keys = "j k scroll · " + keys
	}
	b.Put(paint.Faint, keys)
	return nil
}

// Press scrolls or closes.
func (p *textPanel) Press(msg tea.KeyPressMsg) (bool, tea.Cmd) {
	switch msg.Keystroke() {
	case "esc", "q", "p", "enter":
		return true, nil
	case "down", "j":
		p.scroll++
	case "up", "k":
		p.scroll--
	case "pgdown", "space", "ctrl+d":
		p.scroll += p.page
	case "pgup", "ctrl+u":
		p.scroll -= p.page
	case "home", "g":
		p.scroll = 0
	case "end", "G", "shift+g":
		p.scroll = len(p.wrapped)
	}
	return false, nil
}

// Paste takes nothing.
func (p *textPanel) Paste(tea.PasteMsg) tea.Cmd { return nil }
