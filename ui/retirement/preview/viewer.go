package preview

import (
	"context"
	"sync"

	"tonne/api/audit/pdftext"
	"tonne/model"
	"tonne/model/localfile"
	"tonne/ui/effect"
	"tonne/ui/tab"
)

// Viewer shows certificates that were saved, one at a time: a second one ends
// the reading of the first. The zero value is ready.
type Viewer struct {
	Reader pdftext.Reader
	// turn is held by the work that reads.
	turn sync.Mutex
	// end ends the reading that is under way; nil if there was none yet.
	end context.CancelFunc
}

// Certificate is one that was saved.
type Certificate struct {
	// Title heads the panel, Path is that of the file.
	Title, Path string
	// Hidden are the tax ids that are masked.
	Hidden []string
	// Wrong looks at the file in the background, and says what speaks against
	// it in a line; empty for nothing.
	Wrong func() string
	// Elsewhere shows it in a browser; nil if it has no address.
	Elsewhere effect.Effect
}

// Open reads the file of a certificate until ctx ends, and shows it in a panel.
// The result of the work is a Loaded.
func (v *Viewer) Open(ctx context.Context, c Certificate) effect.Effect {
	v.Stop()
	ctx, end := context.WithCancel(ctx)
	v.end = end
	p := &panel{title: c.Title, leave: end, open: c.Elsewhere, path: tab.Typed(c.Path), hidden: c.Hidden}
	p.show([]string{"Reading it …"})
	return effect.Batch(effect.Show{Panel: p}, effect.Work(func(context.Context) any {
		v.turn.Lock()
		defer v.turn.Unlock()
		wrong := c.Wrong()
		content, err := v.read(ctx, c.Path)
		return Loaded{p, wrong, content, err, ctx, end}
	}))
}

// Stop ends the reading that is under way, if there is one.
func (v *Viewer) Stop() {
	if v.end != nil {
		v.end()
	}
}

func (v *Viewer) read(ctx context.Context, path string) (pdftext.Content, error) {
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

// Loaded is what came of reading a certificate for a panel.
type Loaded struct {
	panel   *panel
	wrong   string
	content pdftext.Content
	err     error
	// reading is the context of the reading, end ends it.
	reading context.Context
	end     context.CancelFunc
}

// Show shows what was read, unless nobody waits for it.
func (r Loaded) Show() {
	if r.reading.Err() == nil {
		r.panel.wrong = r.wrong
		r.panel.take(r.content, r.err)
	}
	r.end()
}
