package session

import (
	"context"
	"errors"
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
		if !l.certificates.busy[id] {
			l.certificates.fetch(id, url, filepath.Clean(dir))
		}
	})
}

// KeepCertificate remembers the certificate of a request of the ledger that
// another program saved.
func (s *Session) KeepCertificate(id string, file store.Certificate) {
	s.post(func(l *loop) { l.certificates.keep(id, file) })
}

// VerifyCertificate compares the file that was saved for a request of the ledger
// with its hash and with what the service serves now, which a VerifiedEvent
// reports. A file that is gone is saved again where it was. While the certificate
// is being saved or verified, nothing happens.
func (s *Session) VerifyCertificate(id string) {
	s.post(func(l *loop) { l.certificates.verify(id) })
}

type certificates struct {
	l    *loop
	busy map[string]bool
}

func (c *certificates) verify(id string) {
	r := c.l.ledger.find(id)
	if c.busy[id] || c.l.subscriber != nil || c.l.ctx.Err() != nil || r == nil || r.Answer == nil || r.Certificate.Path == "" {
		return
	}
	c.busy[id] = true
	file, url := r.Certificate, r.Answer.CertificateURL
	c.l.spawn(func() {
		status := VerifyFile(file.Path, file.SHA256)
		c.l.post(func(*loop) {
			c.l.ledger.setFileStatus(id, file.SHA256, status)
			switch {
			case c.l.ctx.Err() != nil:
				c.l.out.put(VerifiedEvent{ID: id, FileStatus: status})
			case status == Gone:
				c.fetch(id, url, filepath.Dir(file.Path))
			default:
				c.fetch(id, url, "")
			}
		})
	})
}

var errNoFiles = errors.New("a shared desk saves no files")

// fetch saves a certificate in a directory. Without one it is only compared with the
// file that was saved.
func (c *certificates) fetch(id, url, dir string) {
	if c.l.subscriber != nil {
		c.l.out.put(CertificateEvent{ID: id, Err: errNoFiles})
		return
	}
	c.busy[id] = true
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
		c.l.postNews(func(*loop) {
			delete(c.busy, id)
			if dir == "" {
				c.compare(e)
				return
			}
			if e.Saved != nil {
				c.keep(id, store.Certificate(saved))
			}
			c.l.out.put(e)
		})
	})
}

func (c *certificates) compare(news CertificateEvent) {
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
