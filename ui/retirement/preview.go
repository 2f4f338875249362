package retirement

import (
	"context"
	"errors"
	"fmt"
	"sync"

	tea "charm.land/bubbletea/v2"

	"tonne/api/audit/pdftext"
	"tonne/model"
	"tonne/model/localfile"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// viewer shows certificates that were saved, one at a time: a second one ends the
// reading of the first.
type viewer struct {
	Reader pdftext.Reader
	// turn is held by the work that reads, end ends it; nil if there was none yet.
	turn sync.Mutex
	end  context.CancelFunc
}

// open reads the file of a certificate until ctx ends, and shows it in a panel. Wrong
// says in a line what is wrong with the file; it may wait.
func (v *viewer) open(ctx context.Context, p *previewPanel, path string, wrong func() string) effect.Effect {
	v.stop()
	ctx, end := context.WithCancel(ctx)
	v.end, p.leave, p.path = end, end, tab.Typed(path)
	p.show("Reading it …")
	return effect.Batch(effect.Show{Panel: p}, effect.Work(func(context.Context) any {
		v.turn.Lock()
		defer v.turn.Unlock()
		said := wrong()
		content, err := v.read(ctx, path)
		return effect.Then(func() effect.Effect {
			if ctx.Err() == nil {
				p.wrong = said
				p.take(content, err)
			}
			end()
			return nil
		})
	}))
}

func (v *viewer) stop() {
	if v.end != nil {
		v.end()
	}
}

func (v *viewer) read(ctx context.Context, path string) (pdftext.Content, error) {
	if ctx.Err() != nil {
		return pdftext.Content{}, ctx.Err()
	}
	file, err := localfile.Open(path, model.LargestCertificate)
	if err != nil {
		return pdftext.Content{}, err
	}
	defer file.Close()
	return v.Reader.Read(ctx, file)
}

type previewPanel struct {
	title string
	// wrong is what is wrong with the file, facts what is known of it; either is empty
	// for nothing.
	wrong, facts string
	// leave ends what is read for the panel; elsewhere shows the certificate in a
	// browser, nil if there is no address.
	leave     func()
	elsewhere effect.Effect
	// path is that of the file, hidden are the tax ids that are masked in it.
	path   string
	hidden []string

	lines []string
	// wrapped are the lines in a width.
	wrapped             []string
	width, scroll, page int
}

func (p *previewPanel) show(lines ...string) { p.lines, p.width, p.scroll = lines, 0, 0 }

func (p *previewPanel) take(c pdftext.Content, err error) {
	if c.Media != "" {
		p.facts = fmt.Sprintf("%s, %s bytes", c.Media, tab.Number(c.Size))
	}
	const copies = "y copies its path."
	switch {
	case err != nil && c.Media == "":
		p.show("Not shown: "+localfile.Plain(err).Error()+".", "The file: "+p.path, "d saves the certificate again.")
	case errors.Is(err, pdftext.ErrNoReader):
		p.show(tab.Sentence(err), "", "Until then open the file with a program that shows PDFs:", "", p.path, "", copies)
	case errors.Is(err, pdftext.ErrPicture):
		p.show(tab.Sentence(err), "", "Open the file with a program that shows pictures:", "", p.path, "", copies)
	case err != nil:
		p.show(tab.Sentence(err), "", "The file: "+p.path, copies)
	default:
		p.facts += ", " + model.Count(len(c.Pages), "page", "pages")
		var lines []string
		for n, page := range c.Pages {
			if n > 0 {
				lines = append(lines, "", fmt.Sprintf("— page %d —", n+1))
			}
			lines = append(lines, maskLines(page, p.hidden)...)
		}
		if c.Cut {
			lines = append(lines, "", "— the certificate may go on: no more of it is read here —")
		}
		p.show(lines...)
	}
}

func (p *previewPanel) wrap(width int) {
	if p.width == width {
		return
	}
	p.width, p.wrapped = width, nil
	for _, line := range p.lines {
		if style.Width(line) <= width {
			p.wrapped = append(p.wrapped, line)
			continue
		}
		p.wrapped = append(p.wrapped, style.Wrap(line, width)...)
	}
}

// Title names the certificate.
func (p *previewPanel) Title() string { return p.title }

// Size asks for what is shown, what is known of the file, and the keys.
func (p *previewPanel) Size(width, height int) (w, h int) {
	const widest = 96 // the width of a page
	w, h = min(width, widest), 2
	p.wrap(w)
	for _, line := range [...]string{p.wrong, p.facts} {
		if line != "" {
			h++
		}
	}
	return w, min(height, h+len(p.wrapped))
}

// Draw draws what is known of the file, what it shows, and the keys.
func (p *previewPanel) Draw(b *style.Block) *tea.Cursor {
	if p.wrong != "" {
		b.Put(style.Warning, p.wrong)
	}
	if p.facts != "" {
		b.Put(style.Muted, p.facts)
	}
	p.wrap(b.Width())
	p.page = max(b.Room()-1, 1)
	p.scroll = max(min(p.scroll, len(p.wrapped)-p.page), 0)
	for _, line := range p.wrapped[p.scroll:min(p.scroll+p.page, len(p.wrapped))] {
		b.Put(style.Text, line)
	}
	b.Blank(b.Room() - 1)
	keys := "Esc closes"
	if p.elsewhere != nil {
		keys += " · o opens it in a browser"
	}
	if len(p.wrapped) > p.page {
		keys = "j k scroll · " + keys
	}
	b.Put(style.Faint, keys)
	return nil
}

// Press scrolls, opens the certificate elsewhere, or closes.
func (p *previewPanel) Press(msg tea.KeyPressMsg) (bool, effect.Effect) {
	switch key := msg.Keystroke(); key {
	case "esc", "q", "p", "enter":
		p.leave()
		return true, nil
	case "y":
		return false, effect.Copy{Text: p.path, What: "the path of the certificate"}
	case "o":
		if p.elsewhere != nil {
			p.leave()
			return true, p.elsewhere
		}
	default:
		p.scroll = tab.Scrolled(p.scroll, key, p.page, len(p.wrapped))
	}
	return false, nil
}

// Paste takes nothing.
func (p *previewPanel) Paste(tea.PasteMsg) effect.Effect { return nil }
