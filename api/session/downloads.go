package session

import (
	"time"

	"tonne/api"
)

// downloads saves certificates, one download of each at a time.
type downloads struct {
	l        *pollLoop
	underWay map[string]bool
}

func newDownloads(l *pollLoop) *downloads {
	return &downloads{l: l, underWay: make(map[string]bool)}
}

func (c *downloads) send(e CertificateEvent) { c.l.out.Put(e) }

func (c *downloads) save(id, url, dir string) {
	if c.underWay[id] {
		return
	}
	c.underWay[id] = true
	c.send(CertificateEvent{ID: id})
	c.l.spawn(func() {
		var told time.Time
		saved, err := c.l.client.Certificate(c.l.ctx, url, dir, id, func(received, total int64) {
			if time.Since(told) < progressGap {
				return
			}
			told = time.Now()
			c.l.mail.Post(func(*pollLoop) { c.send(CertificateEvent{ID: id, Received: received, Total: total}) })
		})
		c.l.mail.Post(func(*pollLoop) { c.finish(id, saved, err) })
	})
}

func (c *downloads) finish(id string, saved api.Certificate, err error) {
	delete(c.underWay, id)
	if err != nil {
		c.send(CertificateEvent{ID: id, Err: err})
		return
	}
	c.send(CertificateEvent{ID: id, Received: saved.Size, Total: saved.Size, Saved: &saved})
}
