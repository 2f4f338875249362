package retirement

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"tonne/api/audit"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/localfile"
	"tonne/ui/effect"
	"tonne/ui/retirement/details"
	"tonne/ui/retirement/ledger"
	"tonne/ui/tab"
)

type certificates struct {
	session Session
	// downloads say how far those are that are under way, by the ids of their requests.
	downloads map[string]string
	// directory is where the last certificate was saved, or would be; chosen
	// says that the person said so.
	directory string
	chosen    bool
}

// findDirectory finds where files are saved unless the person says otherwise.
func (c *certificates) findDirectory() effect.Effect {
	if c.directory != "" {
		return nil
	}
	return effect.Work(func(context.Context) any {
		found := localfile.Downloads()
		return effect.Then(effectless(func() { c.directory = cmp.Or(c.directory, found) }))
	})
}

// downloading says how far a download is, in bytes. A total of 0 is not known.
func downloading(received, total int64) string {
	switch {
	case total > 0:
		return fmt.Sprintf("downloading: %d %% of %s bytes", received*100/total, tab.Number(total))
	case received > 0:
		return "downloading: " + tab.Number(received) + " bytes"
	}
	return "downloading …"
}

func (t *Tab) download(r ledger.Row) effect.Effect {
	c := t.certificates
	switch _, busy := c.downloads[r.ID]; {
	case busy:
		return effect.Say("The download is under way.")
	case r.Certificate.Path != "":
		c.downloads[r.ID] = downloading(0, 0)
		c.session.VerifyCertificate(r.ID)
		return t.refreshed(effect.Say("Verifying the certificate of " + r.Name() + " …"))
	case c.chosen:
		return t.refreshed(c.save(r))
	}
	return t.askDirectory(r)
}

func (t *Tab) askDirectory(r ledger.Row) effect.Effect {
	return effect.Prompt{
		Title: "Save certificates in", Hint: "a directory; it is made where it is missing", Value: t.certificates.directory,
		Parse: func(typed string) (any, string) {
			path, err := localfile.Expand(typed)
			if err != nil {
				return nil, "type a directory"
			}
			if path, err = filepath.Abs(path); err != nil {
				return nil, err.Error()
			}
			return effect.Then(func() effect.Effect {
				t.certificates.directory, t.certificates.chosen = path, true
				if now, there := t.panes.ledger.Find(r.ID); there {
					return t.refreshed(t.certificates.save(now))
				}
				return nil
			}), ""
		},
	}
}

func (t *Tab) preview(r ledger.Row) effect.Effect {
	p := &previewPanel{title: "Certificate of " + r.Name(), hidden: t.panes.details.HiddenTaxIDs()}
	if r.Answer != nil && r.Answer.CertificateURL != "" {
		p.elsewhere = effect.Open{URL: r.Answer.CertificateURL}
	}
	t.session.CheckCertificateFile(r.ID)
	return t.viewer.open(t.view.Context, p, r.Certificate.Path, func() string { return wrongFile(r) })
}

func wrongFile(r ledger.Row) string {
	now := session.VerifyFile(r.Certificate.Path, r.Certificate.SHA256)
	if now == session.Unchanged {
		now = r.FileStatus
	}
	if now.Wrong() == "" && now != session.Superseded {
		return ""
	}
	_, phrase := details.FileStatusPhrase(now)
	return phrase
}

func (c *certificates) save(r ledger.Row) effect.Effect {
	if _, busy := c.downloads[r.ID]; busy || r.Answer == nil {
		return nil
	}
	c.downloads[r.ID] = downloading(0, 0)
	c.session.SaveCertificate(r.ID, r.Answer.CertificateURL, c.directory)
	return effect.Say("Saving the certificate of " + r.Name() + " …")
}

func (c *certificates) saved(news session.CertificateEvent) effect.Effect {
	if news.Err == nil && news.Saved == nil {
		if _, asked := c.downloads[news.ID]; asked {
			c.downloads[news.ID] = downloading(news.Received, news.Total)
		}
		return nil
	}
	delete(c.downloads, news.ID)
	if news.Err != nil {
		return effect.Warn("The certificate was not saved: " + news.Err.Error() + ".")
	}
	return effect.Say(fmt.Sprintf("Saved %s, sha256 %s.", news.Saved.Path, details.ShortHash(news.Saved.SHA256)))
}

func (c *certificates) verified(e session.VerifiedEvent, recorded string) effect.Effect {
	delete(c.downloads, e.ID)
	here := map[session.FileStatus]string{
		session.NotVerified: "Your file was not looked at",
		session.Unchanged:   "Your file is unchanged",
		session.Altered:     "Your file has changed since it was saved",
		session.Gone:        "Your file is gone",
		session.Unreadable:  "Your file cannot be read",
	}[e.FileStatus]
	switch {
	case e.Err != nil:
		return effect.Warn(here + ". The service's was not compared: " + localfile.Plain(e.Err).Error() + ".")
	case e.FileStatus == session.Superseded:
		return effect.Warn("The service now serves another file. Yours is unchanged.")
	case e.Served != recorded:
		return effect.Warn(here + ", and the service now serves another one too.")
	case e.FileStatus != session.Unchanged:
		return effect.Warn(here + ". The service still serves what was saved; X saves it again elsewhere.")
	}
	return effect.Say("Unchanged: your file and the service's have sha256 " + details.ShortHash(recorded) + ".")
}

type textChecks struct {
	read func(ctx context.Context, path string) audit.CertificateText
	done map[string]textCheck
	busy bool
}

type textCheck struct {
	id     string
	of     textSubject
	result model.Check
}

type textSubject struct {
	answer *model.Retirement
	sha256 string
	file   session.FileStatus
}

func subjectOf(r ledger.Row) textSubject {
	return textSubject{r.Answer, r.Certificate.SHA256, r.FileStatus}
}

func (c *textChecks) applies(r ledger.Row) bool {
	return c.read != nil && r.Answer != nil && r.Answer.Status == model.Complete && r.Certificate.Path != ""
}

func (c *textChecks) start(r ledger.Row) func(context.Context) textCheck {
	now := subjectOf(r)
	if c.busy || !c.applies(r) || now.file.Wrong() != "" || c.done[r.ID].of == now {
		return nil
	}
	c.busy = true
	subject := audit.Subject{Answer: r.Answer, Certificate: r.Certificate, File: r.FileStatus}
	return func(ctx context.Context) textCheck {
		return textCheck{r.ID, now, subject.CheckText(func(path string) audit.CertificateText { return c.read(ctx, path) })}
	}
}

func (c *textChecks) take(done textCheck) {
	c.busy = false
	c.done[done.id] = done
}

func (c *textChecks) of(r ledger.Row) model.Check {
	switch done := c.done[r.ID]; {
	case !c.applies(r):
		return model.Check{}
	case r.FileStatus.Wrong() != "":
		return audit.Subject{Answer: r.Answer, File: r.FileStatus}.CheckText(nil)
	case done.of == subjectOf(r):
		return done.result
	}
	return model.Check{Name: audit.CertificateAgrees, Result: model.NotCheckable, Detail: "its text is being read …"}
}
