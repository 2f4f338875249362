package session

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"time"

	"tonne/model/store"
)

// SaveCertificate fetches the certificate of a retirement request into a
// directory, which shows in CertificateEvents. If the request stands in
// the ledger, the file is remembered. While the certificate is being saved or
// verified, nothing happens.
func (s *Session) SaveCertificate(id, url, dir string) {
	s.post(func(l *loop) {
		if _, busy := l.certificates.copies[id]; !busy {
			l.certificates.copies[id] = ""
			l.certificates.fetch(id, url, dir)
		}
	})
}

// KeepCertificate remembers the certificate of a request of the ledger that
// somebody else saved.
func (s *Session) KeepCertificate(id string, file store.Certificate) {
	s.post(func(l *loop) { l.certificates.keep(id, file) })
}

// VerifyCertificate holds the file that was saved for a request of the ledger
// against its hash and against what the service serves now, which a
// VerifiedEvent tells. A file that is gone is saved again where it was. While
// the certificate is being saved or verified, nothing happens.
func (s *Session) VerifyCertificate(id string) {
	s.post(func(l *loop) { l.certificates.verify(id) })
}

type certificates struct {
	l *loop
	// copies are the requests whose certificates are being fetched: with the
	// directory of a copy that is only compared, "" for one that is kept.
	copies map[string]string
}

func (c *certificates) verify(id string) {
	r := c.l.ledger.find(id)
	if _, busy := c.copies[id]; busy || c.l.subscriber != nil || c.l.ctx.Err() != nil || r == nil || r.Answer == nil || r.Certificate.Path == "" {
		return
	}
	c.copies[id] = ""
	file, url := r.Certificate, r.Answer.CertificateURL
	c.l.spawn(func() {
		status := VerifyFile(file.Path, file.SHA256)
		c.l.post(func(*loop) { c.compare(id, url, file, status) })
	})
}

// compare fetches what the service serves now into a directory of its own. That
// is made once there is something to put in it: a program that is killed while
// it waits for the service leaves nothing.
func (c *certificates) compare(id, url string, file store.Certificate, status FileStatus) {
	c.l.ledger.setFileStatus(id, file.SHA256, status)
	switch {
	case c.l.ctx.Err() != nil:
		c.drop(id, "")
		c.l.out.put(VerifiedEvent{ID: id, FileStatus: status})
	case status == Gone:
		c.fetch(id, url, filepath.Dir(file.Path))
	default:
		dir := filepath.Join(os.TempDir(), "tonne-certificate-"+rand.Text())
		c.copies[id] = dir
		c.fetch(id, url, dir)
	}
}

func (c *certificates) drop(id, dir string) {
	delete(c.copies, id)
	if dir != "" {
		c.l.running.Go(func() { _ = os.RemoveAll(dir) })
	}
}

var errNoFiles = errors.New("a shared desk saves no files")

func (c *certificates) fetch(id, url, dir string) {
	if c.l.subscriber != nil {
		c.fetched(CertificateEvent{ID: id, Err: errNoFiles})
		return
	}
	c.l.out.put(CertificateEvent{ID: id})
	c.l.spawn(func() {
		var sent time.Time
		saved, err := c.l.client.Certificate(c.l.ctx, url, dir, id, func(received, total int64) {
			if time.Since(sent) >= progressGap {
				sent = time.Now()
				c.l.postNews(func(l *loop) { l.out.put(CertificateEvent{ID: id, Received: received, Total: total}) })
			}
		})
		e := CertificateEvent{ID: id, Received: saved.Size, Total: saved.Size, Saved: &saved}
		if err != nil {
			e = CertificateEvent{ID: id, Err: err}
		}
		c.l.postNews(func(*loop) { c.fetched(e) })
	})
}

// fetched takes the end of a download. Of a copy that is compared only the outcome
// is for the reader.
func (c *certificates) fetched(news CertificateEvent) {
	dir := c.copies[news.ID]
	c.drop(news.ID, dir)
	if dir != "" {
		c.compared(news)
		return
	}
	if news.Saved != nil {
		c.keep(news.ID, store.Certificate(*news.Saved))
	}
	c.l.out.put(news)
}

func (c *certificates) compared(news CertificateEvent) {
	r := c.l.ledger.find(news.ID)
	if r == nil {
		return
	}
	e := VerifiedEvent{ID: news.ID, FileStatus: r.FileStatus, Err: news.Err}
	if news.Saved != nil {
		e.Served = news.Saved.SHA256
		if e.Served != r.Certificate.SHA256 && r.FileStatus == Unchanged {
			e.FileStatus = Superseded
			c.l.ledger.setFileStatus(news.ID, r.Certificate.SHA256, Superseded)
		}
	}
	c.l.out.put(e)
}

func (c *certificates) keep(id string, file store.Certificate) {
	g := c.l.ledger
	if g.find(id) == nil {
		return
	}
	if path, err := filepath.Abs(file.Path); err == nil {
		file.Path = path
	}
	g.change(id, func(r *Request) { r.Certificate, r.FileStatus = file, Unchanged })
	g.edited(func(ctx context.Context) error { return g.l.store.SetCertificate(ctx, g.l.origin, id, file) })
}
