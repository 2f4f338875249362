package retirement

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

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

	lines   []string
	wrapped []string
	width   int
	scroll  tab.Scroll
}

func (p *previewPanel) show(lines ...string) { p.lines, p.width, p.scroll = lines, 0, tab.Scroll{} }

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

func (p *previewPanel) Title() string { return p.title }

func (p *previewPanel) head() style.Spans {
	head := style.Spans{{Role: style.Warning, Text: p.wrong}, {Role: style.Muted, Text: p.facts}}
	return slices.DeleteFunc(head, func(s style.Span) bool { return s.Text == "" })
}

func (p *previewPanel) Size(width, height int) (w, h int) {
	const widest = 96 // the width of a page
	w = min(width, widest)
	p.wrap(w)
	return w, min(height, 2+len(p.head())+len(p.wrapped))
}

func (p *previewPanel) Draw(b *style.Block) *tea.Cursor {
	for _, s := range p.head() {
		b.Put(s.Role, s.Text)
	}
	p.wrap(b.Width())
	room := max(b.Room()-1, 1)
	p.scroll.Draw(b, room, len(p.wrapped), func(line *style.Line, n int) { line.Put(style.Text, p.wrapped[n]) })
	b.Blank(b.Room() - 1)
	keys := "Esc closes"
	if p.elsewhere != nil {
		keys += " · o opens it in a browser"
	}
	if len(p.wrapped) > room {
		keys = "j k scroll · " + keys
	}
	b.Put(style.Faint, keys)
	return nil
}

func (p *previewPanel) Press(msg tea.KeyPressMsg) (bool, effect.Effect) {
	switch msg.Keystroke() {
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
	}
	p.scroll.Press(msg)
	return false, nil
}

func (p *previewPanel) Paste(tea.PasteMsg) effect.Effect { return nil }

// shortTaxID is the number of letters and digits below which a tax id is masked
// only where it stands alone: in a longer word it is most likely another thing.
const shortTaxID = 4

// maskLines hides tax ids in the lines of a page as the details do, however the
// page groups their letters and digits and wherever it breaks its lines.
func maskLines(lines, taxIDs []string) []string {
	page := []rune(strings.Join(lines, "\n"))
	for _, id := range taxIDs {
		page = mask(page, id)
	}
	return strings.Split(string(page), "\n")
}

// mask hides one tax id wherever it is. Breaks of lines in it stay.
func mask(page []rune, id string) (masked []rune) {
	bare := []rune(strings.Map(func(r rune) rune {
		if !inTaxID(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, id))
	if len(bare) == 0 {
		return page
	}
	for at := 0; at < len(page); {
		end, found := taxIDAt(page, at, bare)
		if !found {
			masked = append(masked, page[at])
			at++
			continue
		}
		breaks := strings.Count(string(page[at:end]), "\n")
		masked = append(masked, []rune(model.MaskTaxID(id)+strings.Repeat("\n", breaks))...)
		at = end
	}
	return masked
}

// taxIDAt reports whether the letters and digits from a place on are those of a
// tax id, and where they end. Between them may stand what is neither.
func taxIDAt(page []rune, at int, bare []rune) (end int, found bool) {
	if unicode.ToLower(page[at]) != bare[0] {
		return 0, false
	}
	n := 0
	for end = at; end < len(page) && n < len(bare); end++ {
		switch r := unicode.ToLower(page[end]); {
		case r == bare[n]:
			n++
		case inTaxID(r):
			return 0, false
		}
	}
	if n < len(bare) {
		return 0, false
	}
	inWord := at > 0 && inTaxID(page[at-1]) || end < len(page) && inTaxID(page[end])
	return end, !inWord || len(bare) >= shortTaxID
}

func inTaxID(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
