package details

import (
	"fmt"

	"tonne/api/session"
	"tonne/model"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// certificateIndent is where the values stand behind the heading.
const certificateIndent = 13

func (d *document) addCertificate(p *Pane, s *Subject) {
	url := s.Answer.CertificateURL
	switch {
	case url != "":
		d.blank()
		d.thing(url, "the certificate's address", func(l *style.Line) {
			l.PutLeft(style.Heading, "CERTIFICATE", certificateIndent)
			l.Link(style.Link, p.linkable(url), style.ClipMiddle(url, l.Room()))
		})
		d.last().section = true
		d.addSaved(p, s)
	case s.Answer.Status == model.Complete:
		d.heading("CERTIFICATE", "")
		d.text(style.Warning, "The service sent no certificate for this complete request.")
	}
}

func (d *document) addSaved(p *Pane, s *Subject) {
	if s.Download != "" {
		d.paragraph(style.Muted, certificateIndent, s.Download)
		return
	}
	c := s.Certificate
	if c.Path == "" {
		return
	}
	d.thing(c.SHA256, "the SHA-256 of the certificate", func(l *style.Line) {
		role, phrase := FileStatusPhrase(s.FileStatus)
		l.Gap(certificateIndent)
		l.Put(style.Muted, "saved "+p.view.Day(model.At(c.FetchedAt))+" · sha256 "+ShortHash(c.SHA256)+" · ")
		l.Put(role, phrase)
	})
	d.thing(c.Path, "the path of the certificate", func(l *style.Line) {
		l.Gap(certificateIndent)
		l.Put(style.Faint, fmt.Sprintf("%s · %s bytes · %s", c.MediaType, tab.Number(c.Size), c.Path))
	})
}

// FileStatusPhrase says in a few words what is known of a file that was saved, and in
// which role.
func FileStatusPhrase(p session.FileStatus) (style.Role, string) {
	switch p {
	case session.Unchanged:
		return style.Accent, "unchanged"
	case session.Altered:
		return style.Warning, "✗ the file has changed since"
	case session.Gone:
		return style.Warning, "✗ the file is gone"
	case session.Unreadable:
		return style.Warning, "✗ the file cannot be read"
	case session.Superseded:
		return style.Warning, "⚠ the service now serves another file"
	}
	return style.Faint, "not checked"
}

// ShortHash is a hash as people compare it at a glance.
func ShortHash(hash string) string {
	if len(hash) <= 12 {
		return hash
	}
	return hash[:4] + "…" + hash[len(hash)-4:]
}
