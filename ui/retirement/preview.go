package retirement

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"tonne/api/audit/pdftext"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/retirement"
	"tonne/ui/effect"
	"tonne/ui/retirement/details"
	"tonne/ui/retirement/ledger"
	"tonne/ui/style"
	"tonne/ui/tab"
)

func (t *Tab) preview(r ledger.Row) effect.Effect {
	if t.o.ReadCertificate == nil {
		return effect.Say("Certificates cannot be read in this session.")
	}
	t.session.CheckCertificateFile(r.ID)
	t.stopReading()
	ctx, end := context.WithCancel(t.view.Context)
	t.stopReading = end
	file, hidden, facts := r.Certificate.Path, t.panes.details.HiddenTaxIDs(), ""
	p := &textPanel{
		title: "Certificate of " + r.Name(), keys: "Esc closes", leave: end,
		copied: effect.Copy{Text: tab.Typed(file), What: "the path of the certificate"},
		head: func() style.Spans {
			head := style.Spans{{Role: style.Warning, Text: t.wrongFile(r.ID)}, {Role: style.Muted, Text: facts}}
			return slices.DeleteFunc(head, func(s style.Span) bool { return s.Text == "" })
		},
	}
	if r.Answer != nil && r.Answer.CertificateURL != "" {
		p.open, p.keys = effect.Open{URL: r.Answer.CertificateURL}, "Esc closes · o opens it in a browser"
	}
	p.show("Reading the certificate …")
	return effect.Batch(effect.Show{Panel: p}, effect.Work(func(context.Context) any {
		if ctx.Err() != nil {
			return nil
		}
		content, err := t.o.ReadCertificate(ctx, file)
		return effect.Then(func() effect.Effect {
			if ctx.Err() == nil {
				facts = factsOf(content)
				p.show(linesOf(content, err, tab.Typed(file), hidden)...)
			}
			end()
			return nil
		})
	}))
}

func (t *Tab) wrongFile(id string) string {
	r, there := t.panes.ledger.Find(id)
	if !there || r.FileStatus.Wrong() == "" && r.FileStatus != session.Superseded {
		return ""
	}
	_, phrase := details.FileStatusPhrase(r.FileStatus)
	return phrase
}

func factsOf(c pdftext.Content) string {
	if c.Media == "" {
		return ""
	}
	facts := fmt.Sprintf("%s, %s bytes", c.Media, tab.Number(c.Size))
	if n := len(c.Pages); n > 0 {
		facts += ", " + model.Count(n, "page", "pages")
	}
	return facts
}

func linesOf(c pdftext.Content, err error, path string, hidden []string) (lines []string) {
	const copies = "y copies its path."
	switch {
	case err != nil && c.Media == "":
		return []string{"Not shown: " + err.Error() + ".", "The file: " + path, "d saves the certificate again."}
	case errors.Is(err, pdftext.ErrNoReader):
		return []string{tab.Sentence(err), "", "Install it, or open the file with a PDF viewer:", "", path, "", copies}
	case errors.Is(err, pdftext.ErrPicture):
		return []string{tab.Sentence(err), "", "Open the file with an image viewer:", "", path, "", copies}
	case err != nil:
		return []string{tab.Sentence(err), "", "The file: " + path, copies}
	}
	for n, page := range c.Pages {
		if n > 0 {
			lines = append(lines, "", fmt.Sprintf("— page %d —", n+1))
		}
		lines = append(lines, maskLines(page, hidden)...)
	}
	if c.Cut {
		lines = append(lines, "", "— the certificate may continue; tonne reads no more of it —")
	}
	return lines
}

type textPanel struct {
	title, keys string
	// head returns the lines above the text.
	head func() style.Spans
	// copied is the effect of y, open that of o or nil. leave is called when the panel closes.
	copied effect.Copy
	open   effect.Effect
	leave  func()

	lines   []string
	wrapped []string
	width   int
	scroll  tab.Scroll
}

func (p *textPanel) show(lines ...string) { p.lines, p.width, p.scroll = lines, 0, tab.Scroll{} }

func (p *textPanel) wrap(width int) {
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

func (p *textPanel) Title() string { return p.title }

func (p *textPanel) Size(width, height int) (w, h int) {
	const widest = 96 // the width of a page
	w = min(width, widest)
	p.wrap(w)
	return w, min(height, 2+len(p.head())+len(p.wrapped))
}

func (p *textPanel) Draw(b *style.Block) *tea.Cursor {
	for _, s := range p.head() {
		b.Put(s.Role, s.Text)
	}
	p.wrap(b.Width())
	room, keys := max(b.Room()-1, 1), p.keys
	p.scroll.Draw(b, room, len(p.wrapped), func(line *style.Line, n int) { line.Put(style.Text, p.wrapped[n]) })
	b.Blank(b.Room() - 1)
	if len(p.wrapped) > room {
		keys = "j k scroll · " + keys
	}
	b.Put(style.Faint, keys)
	return nil
}

func (p *textPanel) Press(msg tea.KeyPressMsg) (bool, effect.Effect) {
	key := msg.Keystroke()
	switch {
	case key == "esc", key == "q", key == "p", key == "enter":
		p.leave()
		return true, nil
	case key == "y":
		return false, p.copied
	case key == "o" && p.open != nil:
		p.leave()
		return true, p.open
	}
	p.scroll.Press(msg)
	return false, nil
}

func (p *textPanel) Paste(tea.PasteMsg) effect.Effect { return nil }

// shortTaxID is the number of letters and digits below which a tax id is masked only as a
// separate word: inside a longer word it is probably something else.
const shortTaxID = 4

// maskLines masks tax ids, even if the page groups their digits or breaks them across lines.
func maskLines(lines, taxIDs []string) []string {
	page := strings.Join(lines, "\n")
	for _, id := range taxIDs {
		var pattern []string
		for _, r := range id {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				pattern = append(pattern, string(r))
			}
		}
		if len(pattern) == 0 {
			continue
		}
		before, after := "", ""
		if len(pattern) < shortTaxID {
			before, after = `(?:^|[^\pL\p{Nd}])`, `(?:$|[^\pL\p{Nd}])`
		}
		taxID := regexp.MustCompile(`(?i)` + before + `(` + strings.Join(pattern, `[^\pL\p{Nd}]*`) + `)` + after)
		var masked strings.Builder
		for m := taxID.FindStringSubmatchIndex(page); m != nil; m = taxID.FindStringSubmatchIndex(page) {
			start, end := m[2], m[3]
			masked.WriteString(page[:start] + retirement.MaskTaxID(id) +
				strings.Repeat("\n", strings.Count(page[start:end], "\n")))
			page = page[end:]
		}
		page = masked.String() + page
	}
	return strings.Split(page, "\n")
}
