package retirement

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"tonne/api/audit"
	"tonne/model"
	"tonne/model/localfile"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

func (p *evidencePanel) save(file audit.File) effect.Effect {
	write := effect.Work(func(ctx context.Context) any {
		written, err := p.write(ctx, file)
		switch {
		case errors.Is(err, fs.ErrExist):
			return effect.Then(func() effect.Effect {
				p.taken, p.problem = file.Path, "A file is there already. ↵ replaces it; or type another name."
				return effect.Show{Panel: p}
			})
		case err != nil:
			return effect.Warn("Not written: " + localfile.Plain(err).Error() + ".")
		case len(written.Failed) > 0 || written.LeftOut > 0:
			return effect.Warn(sayWritten(file, written))
		}
		return effect.Say(sayWritten(file, written))
	})
	if file.Pack() {
		return effect.Batch(effect.Say("Looking up "+model.Count(len(file.Of), "request", "requests")+" for the pack …"), write)
	}
	return write
}

func sayWritten(file audit.File, w audit.Written) string {
	text := "Wrote evidence of " + model.Count(w.Requests, "request", "requests")
	if file.Pack() {
		text = "Packed " + model.Count(w.Requests, "request", "requests") + " with " + model.Count(w.Certificates, "certificate", "certificates")
	}
	text += " to " + tab.Typed(file.Path) + "."
	if w.LeftOut > 0 {
		text += " " + model.Count(w.LeftOut, "request", "requests") + " left out."
	}
	failed := slices.DeleteFunc(slices.Clone(w.Failed), func(f audit.FailedCheck) bool { return f.Check == "" })
	if len(failed) > 0 {
		text += fmt.Sprintf(" %s in it: %s.", model.Count(len(failed), "check failed", "checks failed"), failedText(failed[0]))
	}
	return text
}

func failedText(d audit.FailedCheck) string {
	if d.Check == "" {
		return d.Request + " is left out: " + d.Detail
	}
	return d.Request + " " + strings.ReplaceAll(d.Check, "_", " ") + ": " + d.Detail
}

// namedChecks is how many failed checks are named before anything is written: the
// file names all. Each takes at most checkRows lines.
const (
	namedChecks = 3
	checkRows   = 2
)

func (p *evidencePanel) against() []audit.FailedCheck {
	if p.all {
		return p.failed[1]
	}
	return p.failed[0]
}

// check checks the requests in the background: there may be a whole ledger of them.
// Files that are wrong are verified by the session, too.
func (t *Tab) check(p *evidencePanel) effect.Effect {
	selections, check := [...]selection{p.one, p.shown}, t.o.CheckEvidence
	return effect.Work(func(ctx context.Context) any {
		var failed [2][]audit.FailedCheck
		var files []string
		for i, s := range selections {
			for _, r := range s.without {
				failed[i] = append(failed[i], r.FailedChecks()...)
			}
			if check != nil {
				failed[i] = append(failed[i], check(ctx, s.found)...)
			}
			for _, f := range failed[i] {
				if f.Check == audit.CertificateOnFile {
					files = append(files, f.Request)
				}
			}
		}
		return effect.Then(effectless(func() {
			p.failed, p.checked = failed, true
			if len(files) > 0 {
				t.session.CheckCertificateFile(files...)
			}
		}))
	})
}

func (p *evidencePanel) failedLines(width int) (lines []string) {
	failed := p.against()
	for _, d := range failed[:min(len(failed), namedChecks)] {
		told := style.Wrap(failedText(d), max(width-2, 1))
		if len(told) > checkRows {
			told = append(told[:checkRows-1], told[checkRows-1]+" …")
		}
		lines = append(lines, told...)
	}
	return lines
}

func (p *evidencePanel) drawFailed(b *style.Block) {
	if !p.checked && b.Room() > 1 {
		b.Put(style.Muted, "checking …")
	}
	if len(p.against()) == 0 || b.Room() < 3 {
		return
	}
	b.Put(style.Warning, "⚠ "+model.Count(len(p.against()), "doubt stands", "doubts stand")+" in it:")
	lines := p.failedLines(b.Width())
	for _, line := range lines[:min(len(lines), b.Room()-1)] {
		b.Put(style.Text, "  "+line)
	}
}
