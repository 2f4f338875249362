package retirement

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"tonne/api/session"
	"tonne/ui/effect"
	"tonne/ui/retirement/details"
	"tonne/ui/retirement/ledger"
	"tonne/ui/tab"
)

type certificates struct {
	session Session
	// downloads are the progress texts of running downloads, by request id.
	downloads map[string]string
	// directory is the directory for certificates; chosen is whether the user chose it.
	directory string
	chosen    bool
}

func (c *certificates) findDirectory(files tab.Files) effect.Effect {
	if c.directory != "" {
		return nil
	}
	return effect.Work(func(context.Context) any {
		found := files.Downloads()
		return effect.Then(effect.Do(func() { c.directory = cmp.Or(c.directory, found) }))
	})
}

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
		return effect.Say("The download is still running.")
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
	return tab.Prompt{
		Title: "Save certificates in", Hint: "a directory; it is created if it is missing", Value: t.certificates.directory,
		Enter: func(typed string) (effect.Effect, string) {
			path, err := t.view.Files.Expand(typed)
			if err != nil {
				return nil, "enter a directory"
			}
			if path, err = filepath.Abs(path); err != nil {
				return nil, err.Error()
			}
			t.certificates.directory, t.certificates.chosen = path, true
			if now, there := t.panes.ledger.Find(r.ID); there {
				return t.refreshed(t.certificates.save(now)), ""
			}
			return nil, ""
		},
	}.Ask()
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
		if _, running := c.downloads[news.ID]; running {
			c.downloads[news.ID] = downloading(news.Received, news.Total)
		}
		return nil
	}
	delete(c.downloads, news.ID)
	if news.Err != nil {
		return effect.Warn("Could not save the certificate: " + news.Err.Error() + ".")
	}
	return effect.Say(fmt.Sprintf("Saved %s, sha256 %s.", news.Saved.Path, details.ShortHash(news.Saved.SHA256)))
}

func (c *certificates) verified(e session.VerifiedEvent, recorded string) effect.Effect {
	delete(c.downloads, e.ID)
	here := map[session.FileStatus]string{
		session.NotVerified: "Your file was not checked",
		session.Unchanged:   "Your file is unchanged",
		session.Altered:     "Your file has changed since it was saved",
		session.Gone:        "Your file was deleted",
		session.Unreadable:  "Your file cannot be read",
	}[e.FileStatus]
	switch {
	case e.Err != nil:
		return effect.Warn(here + ". It was not compared with the service: " + e.Err.Error() + ".")
	case e.FileStatus == session.Superseded:
		return effect.Warn("The service now serves a different file. Yours is unchanged.")
	case e.Served != recorded:
		return effect.Warn(here + ", and the service now serves a different file too.")
	case e.FileStatus != session.Unchanged:
		return effect.Warn(here + ". The service still serves the original; X saves it to another directory.")
	}
	return effect.Say("Unchanged: your file and the service's have sha256 " + details.ShortHash(recorded) + ".")
}
