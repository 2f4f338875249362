package retirement

import (
	"context"
	"slices"

	"tonne/api/audit"
	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/style"
)

// namedDoubts is how many doubts are named before anything is written: the file
// names all.
const namedDoubts = 3

// doubtRows is how many lines one of them takes at most.
const doubtRows = 2

// mostRead is how many certificates are read before anything is written. Of
// more requests, what is shown is what is known without, and writing tells all.
const mostRead = 100

func (p *evidencePanel) against() []audit.FailedCheck {
	if p.all {
		return p.doubts[1]
	}
	return p.doubts[0]
}

type doubtsRead struct {
	panel  *evidencePanel
	doubts [2][]audit.FailedCheck
}

func (t *Tab) doubted(read doubtsRead) {
	read.panel.doubts, read.panel.checked = read.doubts, true
	var files []string
	for _, d := range slices.Concat(read.doubts[0], read.doubts[1]) {
		if d.Check == audit.CertificateOnFile {
			files = append(files, d.Request)
		}
	}
	if len(files) > 0 {
		t.session.CheckCertificateFile(files...)
	}
}

// readDoubts finds what speaks against the requests in the background: there
// may be a whole ledger of them. It reads the certificates where there is a
// check that does: what they say may contradict the service.
func (p *evidencePanel) readDoubts(check func(context.Context, []audit.Request) []audit.FailedCheck) effect.Effect {
	selections := [...]selection{p.one, p.shown}
	return effect.Work(func(ctx context.Context) any {
		read := doubtsRead{panel: p}
		for i, s := range selections {
			if check == nil || len(s.sources) > mostRead {
				read.doubts[i] = s.doubts()
				continue
			}
			read.doubts[i] = slices.Concat(selection{without: s.without}.doubts(), check(ctx, s.sources))
		}
		return read
	})
}

func (p *evidencePanel) doubtLines(width int) (lines []string) {
	doubts := p.against()
	for _, d := range doubts[:min(len(doubts), namedDoubts)] {
		told := style.Wrap(doubtText(d), max(width-2, 1))
		if len(told) > doubtRows {
			told = append(told[:doubtRows-1], told[doubtRows-1]+" …")
		}
		lines = append(lines, told...)
	}
	return lines
}

func (p *evidencePanel) drawDoubts(b *style.Block) {
	if !p.checked && b.Room() > 1 {
		b.Put(style.Muted, "checking …")
	}
	if len(p.against()) == 0 || b.Room() < 3 {
		return
	}
	b.Put(style.Warning, "⚠ "+model.Count(len(p.against()), "doubt stands", "doubts stand")+" in it:")
	lines := p.doubtLines(b.Width())
	for _, line := range lines[:min(len(lines), b.Room()-1)] {
		b.Put(style.Text, "  "+line)
	}
}
