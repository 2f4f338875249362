package feed

import (
	"time"

	"tonne/api"
)

// certificates saves certificates, one download of each at a time.
type certificates struct {
	l        *loop
	underWay map[string]bool
}

func newCertificates(l *loop) *certificates {
	return &certificates{l: l, underWay: make(map[string]bool)}
}

func (c *certificates) send(e CertificateEvent) { c.l.out.Put(e) }

func (c *certificates) save(id, url, dir string) {
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
			c.l.mail.Post(func(*loop) { c.send(CertificateEvent{ID: id, Received: received, Total: total}) })
		})
		c.l.mail.Post(func(*loop) { c.finish(id, saved, err) })
	})
}

func (c *certificates) finish(id string, saved api.Certificate, err error) {
	delete(c.underWay, id)
	if err != nil {
		c.send(CertificateEvent{ID: id, Err: err})
		return
	}
	c.send(CertificateEvent{ID: id, Received: saved.Size, Total: saved.Size, Saved: &saved})
}
