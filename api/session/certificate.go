package session

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"tonne/model/retirement"
)

// certificates downloads the certificates of requests, and checks the saved files. client is
// nil in a session without files.
type certificates struct {
	*env
	client Client
	ledger *ledger
	busy   map[string]bool
	// unchecked are requests whose files must be checked; checking reports a running check.
	unchecked []string
	checking  bool
}

func (c *certificates) save(id, url, dir string) {
	switch {
	case c.client == nil:
		c.emit(CertificateEvent{ID: id, Err: errNoFiles})
	case !c.busy[id]:
		c.download(id, func(progress func(received, total int64)) func() {
			saved, err := c.client.Certificate(c.ctx, url, filepath.Clean(dir), id, progress)
			return func() { c.saved(id, saved, err) }
		})
	}
}

func (c *certificates) verify(id string) {
	r := c.ledger.find(id)
	if c.busy[id] || c.client == nil || r == nil || r.Answer == nil || r.Certificate.Path == "" {
		return
	}
	c.download(id, func(progress func(received, total int64)) func() {
		status, dir := VerifyFile(r.Certificate.Path, r.Certificate.SHA256), ""
		if status == Gone {
			dir = filepath.Dir(r.Certificate.Path)
		}
		served, err := c.client.Certificate(c.ctx, r.Answer.CertificateURL, dir, id, progress)
		if err == nil && status == Unchanged && served.SHA256 != r.Certificate.SHA256 {
			status = Superseded
		}
		return func() {
			c.setStatus(r, status)
			if status == Gone {
				c.saved(id, served, err)
				return
			}
			c.emit(VerifiedEvent{ID: id, FileStatus: status, Served: served.SHA256, Err: err})
		}
	})
}

func (c *certificates) checkFirst(ids []string) { c.check(slices.Concat(ids, c.unchecked)) }

func (c *certificates) checkLater(ids []string) { c.check(append(c.unchecked, ids...)) }

func (c *certificates) check(ids []string) {
	c.unchecked = ids
	for !c.checking && len(c.unchecked) > 0 && c.ctx.Err() == nil {
		id := c.unchecked[0]
		c.unchecked = c.unchecked[1:]
		r := c.ledger.find(id)
		if c.client == nil || r == nil || r.Certificate.Path == "" {
			continue
		}
		c.checking = true
		c.spawn(func() {
			status := VerifyFile(r.Certificate.Path, r.Certificate.SHA256)
			c.post(func() {
				c.checking = false
				// This check does not notice that the service serves another file.
				if now := c.ledger.find(id); status != Unchanged || now != nil && now.FileStatus != Superseded {
					c.setStatus(r, status)
				}
				c.check(c.unchecked)
			})
		})
	}
}

func (c *certificates) setStatus(of *Request, status FileStatus) {
	now := c.ledger.find(of.ID)
	if now == nil || now.Certificate.SHA256 != of.Certificate.SHA256 || now.FileStatus == status {
		return
	}
	c.ledger.due = true
	c.ledger.change(of.ID, func(r *Request) { r.FileStatus = status })
}

var errNoFiles = errors.New("a shared desk saves no files")

func (c *certificates) download(id string, work func(progress func(received, total int64)) func()) {
	c.busy[id] = true
	c.emit(CertificateEvent{ID: id})
	c.spawn(func() {
		var sent time.Time
		done := work(func(received, total int64) {
			if time.Since(sent) >= progressGap {
				sent = time.Now()
				c.whileRunning(func() { c.emit(CertificateEvent{ID: id, Received: received, Total: total}) })
			}
		})
		c.whileRunning(func() {
			delete(c.busy, id)
			done()
		})
	})
}

func (c *certificates) saved(id string, file retirement.Certificate, err error) {
	if err != nil {
		c.emit(CertificateEvent{ID: id, Err: err})
		return
	}
	c.keep(id, file)
	c.emit(CertificateEvent{ID: id, Received: file.Size, Total: file.Size, Saved: &file})
}

func (c *certificates) keep(id string, file retirement.Certificate) {
	g := c.ledger
	if g.find(id) == nil {
		return
	}
	if path, err := filepath.Abs(file.Path); err == nil {
		file.Path = path
	}
	g.change(id, func(r *Request) { r.Certificate, r.FileStatus = file, Unchanged })
	g.edited(func(ctx context.Context) error { return g.kept.SetCertificate(ctx, id, file) })
}
