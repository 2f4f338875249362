package retirement

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"tonne/api"
	"tonne/api/feed"
	"tonne/model"
	"tonne/model/store"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// saving is a download of a certificate that is under way.
type saving struct {
	received, total int64
	// check is the directory of a copy that is only compared with the file
	// that was saved before; empty for a download that is kept.
	check string
}

func (t *Tab) openCertificate() effect.Effect {
	e, _ := t.selected()
	return effect.Open{URL: e.answer.CertificateURL}
}

// download saves the certificate, or verifies the one that was saved.
func (t *Tab) download() effect.Effect {
	e, _ := t.selected()
	switch {
	case t.saving[e.id] != nil:
		return effect.Say("The download is under way.")
	case e.certificate.Path != "":
		return t.verify(e)
	case t.chosen:
		return t.save(e.id, t.directory)
	}
	return t.downloadTo()
}

// downloadTo asks where to save the certificate. The answer counts for those
// that follow too.
func (t *Tab) downloadTo() effect.Effect {
	e, _ := t.selected()
	return effect.Prompt{
		Title: "Save certificates in", Hint: "a directory; it is made where it is missing", Value: t.directory,
		Parse: func(typed string) (any, string) {
			path, err := expand(typed)
			if err != nil {
				return nil, "type a directory"
			}
			if path, err = filepath.Abs(path); err != nil {
				return nil, err.Error()
			}
			return directoryTyped{e.id, path}, ""
		},
	}
}

// directoryTyped is where the certificate of a request is to be saved.
type directoryTyped struct{ id, path string }

func (t *Tab) saveIn(d directoryTyped) effect.Effect {
	t.directory, t.chosen = d.path, true
	return t.save(d.id, d.path)
}

// save downloads the certificate of a request into a directory.
func (t *Tab) save(id, dir string) effect.Effect {
	e := t.ledger.find(id)
	if e == nil || e.answer == nil || t.saving[id] != nil {
		return nil
	}
	t.saving[id] = &saving{}
	t.feed.SaveCertificate(id, e.answer.CertificateURL, dir)
	return effect.Batch(effect.Say("Saving the certificate of "+e.name()+" …"), t.later())
}

// verify looks at the file that was saved, and at what the service serves now.
func (t *Tab) verify(e *entry) effect.Effect {
	id, c := e.id, e.certificate
	t.saving[id] = &saving{}
	return effect.Batch(effect.Say("Verifying the certificate of "+e.name()+" …"), t.later(), effect.Work(func(context.Context) any {
		p := proveFile(c.Path, c.SHA256)
		dir, err := os.MkdirTemp("", "tonne-certificate-")
		return fileProved{id, c.Path, p, dir, err}
	}))
}

// fileProved is what is known of the file of one certificate, and the
// directory for a copy to compare it with.
type fileProved struct {
	id, path string
	proof    proof
	dir      string
	err      error
}

// compare downloads the copy that the file is compared with.
func (t *Tab) compare(r fileProved) effect.Effect {
	delete(t.saving, r.id)
	e := t.ledger.find(r.id)
	switch {
	case e == nil || e.answer == nil:
		return t.drop(r.dir)
	case r.err != nil:
		return effect.Warn("Not verified: " + plainError(r.err).Error() + ".")
	case r.proof == gone:
		return effect.Batch(t.drop(r.dir), t.save(r.id, filepath.Dir(r.path)))
	}
	t.ledger.change(r.id, func(e *entry) { e.proof = r.proof })
	t.saving[r.id] = &saving{check: r.dir}
	t.feed.SaveCertificate(r.id, e.answer.CertificateURL, r.dir)
	return t.later()
}

// drop removes a copy that was only compared.
func (t *Tab) drop(dir string) effect.Effect {
	if dir == "" {
		return nil
	}
	return effect.Work(func(context.Context) any {
		// It lies among the temporary files: what stays is no harm.
		_ = os.RemoveAll(dir)
		return nil
	})
}

// saved tells how a download goes.
func (t *Tab) saved(news feed.CertificateEvent) effect.Effect {
	s, e := t.saving[news.ID], t.ledger.find(news.ID)
	if s == nil {
		s = &saving{}
	}
	switch {
	case news.Err == nil && news.Saved == nil:
		s.received, s.total = news.Received, news.Total
		return t.later()
	case s.check != "":
		delete(t.saving, news.ID)
		return effect.Batch(t.drop(s.check), t.compared(e, news), t.later())
	}
	delete(t.saving, news.ID)
	if news.Err != nil {
		return effect.Batch(effect.Warn("The certificate was not saved: "+news.Err.Error()+"."), t.later())
	}
	if e == nil {
		return nil
	}
	file := store.Certificate(*news.Saved)
	if path, err := filepath.Abs(file.Path); err == nil {
		file.Path = path
	}
	t.ledger.change(e.id, func(e *entry) { e.certificate, e.proof = file, unchanged })
	said := effect.Say(fmt.Sprintf("Saved %s, sha256 %s.", file.Path, shortHash(file.SHA256)))
	return effect.Batch(said, t.rememberCertificate(t.ledger.find(e.id)), t.later())
}

// compared says what came of verifying a certificate.
func (t *Tab) compared(e *entry, news feed.CertificateEvent) effect.Effect {
	if e == nil {
		return nil
	}
	if news.Saved != nil && news.Saved.SHA256 != e.certificate.SHA256 && e.proof == unchanged {
		t.ledger.change(e.id, func(e *entry) { e.proof = superseded })
		return effect.Warn("The service now serves another file. Yours is unchanged.")
	}
	return verdictOf(e, news.Saved, news.Err)
}

// verdictOf says in a sentence or two how the file stands, and the service.
func verdictOf(e *entry, served *api.Certificate, err error) effect.Effect {
	here := map[proof]string{
		unchanged:  "Your file is unchanged",
		altered:    "Your file has changed since it was saved",
		unreadable: "Your file cannot be read",
	}[e.proof]
	switch {
	case err != nil:
		return effect.Warn(here + ". The service's was not compared: " + err.Error() + ".")
	case served.SHA256 != e.certificate.SHA256:
		return effect.Warn(here + ", and the service now serves another one too.")
	case e.proof != unchanged:
		return effect.Warn(here + ". The service still serves what was saved; D saves it again elsewhere.")
	}
	return effect.Say("Unchanged: your file and the service's have sha256 " + shortHash(e.certificate.SHA256) + ".")
}

// shortHash is a hash as people compare it at a glance.
func shortHash(hash string) string {
	if len(hash) <= 12 {
		return hash
	}
	return hash[:4] + "…" + hash[len(hash)-4:]
}

// certificateIndent is where the values stand behind the heading.
const certificateIndent = 13

// addCertificate shows where the certificate is, and the file that was saved.
func (t *Tab) addCertificate(d *document, e *entry) {
	url := e.answer.CertificateURL
	switch {
	case url != "":
		d.blank()
		d.thing(url, "the certificate's address", func(l *style.Line) {
			l.PutLeft(style.Heading, "CERTIFICATE", certificateIndent)
			l.Link(style.Link, t.linkable(url), url)
		})
		d.lines[len(d.lines)-1].section = true
		t.addSaved(d, e)
	case e.answer.Status == model.Complete:
		d.heading("CERTIFICATE", "")
		d.text(style.Warning, "The service sent no certificate for this complete request.")
	}
}

// addSaved says what is known of the file, and how far a download is.
func (t *Tab) addSaved(d *document, e *entry) {
	if s := t.saving[e.id]; s != nil {
		d.paragraph(style.Muted, certificateIndent, s.progress())
		return
	}
	c := e.certificate
	if c.Path == "" {
		return
	}
	d.thing(c.SHA256, "the SHA-256 of the certificate", func(l *style.Line) {
		role, phrase := e.proof.phrase()
		l.Gap(certificateIndent)
		l.Put(style.Muted, "saved "+t.view.Day(model.At(c.FetchedAt))+" · sha256 "+shortHash(c.SHA256)+" · ")
		l.Put(role, phrase)
	})
	d.thing(c.Path, "the path of the certificate", func(l *style.Line) {
		l.Gap(certificateIndent)
		l.Put(style.Faint, fmt.Sprintf("%s · %s bytes · %s", c.MediaType, tab.Number(c.Size), c.Path))
	})
}

func (s *saving) progress() string {
	switch {
	case s.total > 0:
		return fmt.Sprintf("downloading: %d %% of %s bytes", s.received*100/s.total, tab.Number(s.total))
	case s.received > 0:
		return "downloading: " + tab.Number(s.received) + " bytes"
	}
	return "downloading …"
}

// linkable returns the address for a terminal link, or "" where it must not
// be one.
func (t *Tab) linkable(url string) string {
	if t.o.Safe == nil {
		return ""
	}
	if _, err := t.o.Safe(url); err != nil {
		return ""
	}
	return url
}
