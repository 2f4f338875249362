package details

import (
	"fmt"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/retirement"
	"tonne/ui/retirement/ledger"
	"tonne/ui/style"
	"tonne/ui/tab"
)

const certificateIndent = 13

func (p *Pane) addCertificate(s *Subject) {
	url := s.Answer.CertificateURL
	switch {
	case url != "":
		p.blank()
		p.thing(url, "the certificate's address", func(l *style.Line) {
			l.PutLeft(style.Heading, "CERTIFICATE", certificateIndent)
			l.Link(style.Link, p.linkable(url), style.ClipMiddle(url, l.Room()))
		}).section = true
		p.addSaved(s)
	case s.Answer.Status == retirement.Complete:
		p.heading("CERTIFICATE", "")
		p.text(style.Warning, "The service sent no certificate for this complete request.")
	}
}

func (p *Pane) addSaved(s *Subject) {
	c := s.Certificate
	switch {
	case s.Download != "":
		p.paragraph(style.Muted, certificateIndent, s.Download)
		return
	case c.Path == "":
		return
	}
	p.thing(c.SHA256, "the SHA-256 of the certificate", func(l *style.Line) {
		role, phrase := FileStatusPhrase(s.FileStatus)
		l.Gap(certificateIndent)
		l.Put(style.Muted, "saved "+p.view.Day(model.At(c.FetchedAt))+" · sha256 "+ShortHash(c.SHA256)+" · ")
		l.Put(role, phrase)
	})
	p.thing(c.Path, "the path of the certificate", func(l *style.Line) {
		l.Gap(certificateIndent)
		l.Put(style.Faint, fmt.Sprintf("%s · %s bytes · %s", c.MediaType, tab.Number(c.Size), c.Path))
	})
}

// FileStatusPhrase returns a phrase for the status of a saved file, and the role to draw it in.
func FileStatusPhrase(p session.FileStatus) (style.Role, string) {
	switch p {
	case session.Unchanged:
		return style.Accent, "unchanged"
	case session.Altered:
		return style.Warning, "✗ the file was modified"
	case session.Gone:
		return style.Warning, "✗ the file was deleted"
	case session.Unreadable:
		return style.Warning, "✗ the file cannot be read"
	case session.Superseded:
		return style.Warning, "⚠ the service now serves another file"
	}
	return style.Faint, "not checked"
}

// ShortHash returns the first and last four characters of a hash.
func ShortHash(hash string) string {
	if len(hash) <= 12 {
		return hash
	}
	return hash[:4] + "…" + hash[len(hash)-4:]
}

// Before completion, passed findings are left out: they say little.
func (p *Pane) addChecks(checks []retirement.Check, s *Subject) {
	p.heading("CHECKS", "")
	for _, check := range checks {
		p.addCheck(check)
	}
	for _, found := range s.Findings {
		if found.Result == retirement.Fail || s.Answer.Status == retirement.Complete {
			p.addCheck(found)
		}
	}
}

func (p *Pane) addCheck(check retirement.Check) {
	title := ledger.CheckTitle(check.Name)
	role, mark := style.Faint, "· "
	switch check.Result {
	case retirement.Pass:
		role, mark = style.Accent, "✓ "
	case retirement.Fail:
		role, mark = style.Warning, "✗ "
	}
	beside := style.Width(mark+title+"  "+check.Detail) <= p.width
	p.thing(title+": "+string(check.Result)+", "+check.Detail, "the check", func(l *style.Line) {
		l.Put(role, mark)
		l.Put(style.Text, title)
		if beside {
			l.Gap(2)
			l.Put(style.Muted, check.Detail)
		}
	})
	if !beside {
		p.paragraph(style.Muted, 4, check.Detail)
	}
}
