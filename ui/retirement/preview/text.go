package preview

import (
	"tonne/ui/style"
	"tonne/ui/tab"
)

type textBody struct {
	lines []string

	// wrapped is the text in a width.
	wrapped      []string
	width        int
	scroll, page int
}

// widestText is the width that text asks for, in cells: that of a page.
const widestText = 96

func (p *textBody) size(width, height int) (w, h int) {
	w = min(width, widestText)
	p.wrap(w)
	return w, min(height, len(p.wrapped)+1)
}

func (p *textBody) wrap(width int) {
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

func (p *textBody) draw(b *style.Block) {
	p.wrap(b.Width())
	p.page = max(b.Room()-1, 1)
	p.scroll = max(min(p.scroll, len(p.wrapped)-p.page), 0)
	for _, line := range p.wrapped[p.scroll:min(p.scroll+p.page, len(p.wrapped))] {
		b.Put(style.Text, line)
	}
	b.Blank(b.Room() - 1)
}

func (p *textBody) keys() string {
	if len(p.wrapped) > p.page {
		return "j k scroll"
	}
	return ""
}

func (p *textBody) press(key string) {
	p.scroll = tab.Scrolled(p.scroll, key, p.page, len(p.wrapped))
}
