package retirement

import (
	"context"
	"fmt"
	"sync"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/retirement/preview"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// looks reads certificates for the preview, one at a time: a second one ends
// the reading of the first. The zero value is ready.
type looks struct {
	reader preview.Reader
	// turn is held by the command that reads.
	turn sync.Mutex
	// end ends the reading that is under way; nil if there was none yet.
	end context.CancelFunc
}

// stop ends the reading that is under way, if there is one.
func (l *looks) stop() {
	if l.end != nil {
		l.end()
	}
}

// looked is what came of reading a certificate for a panel.
type looked struct {
	panel   *peekPanel
	content preview.Content
	err     error
	// ended reports whether the reading was ended meanwhile; end ends it.
	ended func() bool
	end   context.CancelFunc
}

// take shows what was read, unless nobody waits for it.
func (r looked) take() {
	if !r.ended() {
		r.panel.take(r.content, r.err)
	}
	r.end()
}

// begin ends the reading that is under way and reads another file for a panel.
func (l *looks) begin(parent context.Context, path string, p *peekPanel) effect.Effect {
	l.stop()
	ctx, end := context.WithCancel(parent)
	l.end = end
	return effect.Work(func(context.Context) any {
		l.turn.Lock()
		defer l.turn.Unlock()
		c, err := l.read(ctx, path)
		return looked{p, c, err, func() bool { return ctx.Err() != nil }, end}
	})
}

func (l *looks) read(ctx context.Context, path string) (preview.Content, error) {
	if ctx.Err() != nil {
		return preview.Content{}, ctx.Err()
	}
	file, err := openRegular(path, largestCertificate)
	if err != nil {
		return preview.Content{}, err
	}
	defer file.Close()
	return l.reader.Read(ctx, file)
}

// peek shows the certificate that was saved, in the terminal.
func (t *Tab) peek() effect.Effect {
	e, _ := t.selected()
	p := &peekPanel{title: "Certificate of " + e.name(), leave: t.looks.stop}
	if e.answer != nil && e.answer.CertificateURL != "" {
		p.open = effect.Open{URL: e.answer.CertificateURL}
	}
	p.show([]string{"Reading it …"})
	return effect.Batch(effect.Show{Panel: p}, t.looks.begin(t.view.Context, e.certificate.Path, p))
}

// peekPanel shows a certificate, or says why it cannot.
type peekPanel struct {
	title string
	// facts is what is known of the file.
	facts string
	inner peekBody
	// leave ends what is read for the panel; open shows the certificate in a
	// browser, nil if there is no address.
	leave func()
	open  effect.Effect
}

// peekBody is what the panel shows: text or a picture.
type peekBody interface {
	// size returns how many of the cells there are it would like.
	size(width, height int) (w, h int)
	// draw fills the room that is left in a block but one line.
	draw(b *style.Block)
	// press takes a key that scrolls.
	press(key string)
	// keys names the keys that do something now, or is empty.
	keys() string
}

func (p *peekPanel) show(lines []string) { p.inner = &peekText{text: lines} }

// take shows what was read.
func (p *peekPanel) take(c preview.Content, err error) {
	if c.Media != "" {
		p.facts = fmt.Sprintf("%s, %s bytes", c.Media, tab.Number(c.Size))
	}
	switch {
	case err != nil && c.Media == "":
		p.show([]string{"Not shown: " + plainError(err).Error() + ".", "d saves the certificate again."})
	case err != nil:
		p.show([]string{sentence(err)})
	case c.Picture != nil:
		p.facts = ""
		p.inner = &peekPicture{picture: c.Picture}
	default:
		p.facts += ", " + tab.Count(len(c.Pages), "page", "pages")
		p.show(pageLines(c))
	}
}

// pageLines returns the text of a PDF with a line between pages.
func pageLines(c preview.Content) []string {
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
func (p *peekPanel) Title() string { return p.title }

// Size asks for what is shown, what is known of the file, and the keys.
func (p *peekPanel) Size(width, height int) (w, h int) {
	w, h = p.inner.size(width, max(height-p.around(), 1))
	return w, min(height, h+p.around())
}

// around is how many lines stand around what is shown.
func (p *peekPanel) around() int {
	if p.facts == "" {
		return 1
	}
	return 2
}

// Draw draws what is known of the file, what it shows, and the keys.
func (p *peekPanel) Draw(b *style.Block) *tea.Cursor {
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
func (p *peekPanel) Press(msg tea.KeyPressMsg) (bool, effect.Effect) {
	switch key := msg.Keystroke(); key {
	case "esc", "q", "p", "enter":
		p.leave()
		return true, nil
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
func (p *peekPanel) Paste(tea.PasteMsg) effect.Effect { return nil }
