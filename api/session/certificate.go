package session

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"tonne/model/localfile"
	"tonne/model/retirement"
)

// SaveCertificate downloads the certificate of a retirement request into a directory.
// CertificateEvents report the progress. If the ledger has the request, it records the path
// and the hash. A call has no effect while the certificate is being saved or verified.
func (s *Session) SaveCertificate(id, url, dir string) {
	s.post(func(l *loop) {
		c := l.certificates
		switch {
		case l.subscriber != nil:
			l.out.put(CertificateEvent{ID: id, Err: errNoFiles})
		case !c.busy[id]:
			c.download(id, func(progress func(received, total int64)) func() {
				saved, err := l.client.Certificate(l.ctx, url, filepath.Clean(dir), id, progress)
				return func() { c.saved(id, saved, err) }
			})
		}
	})
}

// KeepCertificate adds a certificate file of another program to the ledger.
func (s *Session) KeepCertificate(id string, file retirement.Certificate) {
	s.post(func(l *loop) { l.certificates.keep(id, file) })
}

// VerifyCertificate compares the saved certificate of a request with its recorded hash and
// with the file that the service serves now. A VerifiedEvent reports the result. If the file
// is missing, it is downloaded again. A call has no effect while the certificate is being
// saved or verified.
func (s *Session) VerifyCertificate(id string) {
	s.post(func(l *loop) {
		c, r := l.certificates, l.ledger.find(id)
		if c.busy[id] || l.subscriber != nil || r == nil || r.Answer == nil || r.Certificate.Path == "" {
			return
		}
		c.download(id, func(progress func(received, total int64)) func() {
			status, dir := VerifyFile(r.Certificate.Path, r.Certificate.SHA256), ""
			if status == Gone {
				dir = filepath.Dir(r.Certificate.Path)
			}
			served, err := l.client.Certificate(l.ctx, r.Answer.CertificateURL, dir, id, progress)
			if err == nil && status == Unchanged && served.SHA256 != r.Certificate.SHA256 {
				status = Superseded
			}
			return func() {
				c.setStatus(r, status)
				if status == Gone {
					c.saved(id, served, err)
					return
				}
				l.out.put(VerifiedEvent{ID: id, FileStatus: status, Served: served.SHA256, Err: err})
			}
		})
	})
}

// CheckCertificateFile checks the saved files of these requests again, one at a time and
// before others. A LedgerEvent reports a changed status.
func (s *Session) CheckCertificateFile(ids ...string) {
	s.post(func(l *loop) { l.certificates.check(slices.Concat(ids, l.certificates.unchecked)) })
}

type certificates struct {
	l    *loop
	busy map[string]bool
	// unchecked are requests whose files must be checked; checking reports a running check.
	unchecked []string
	checking  bool
}

func (c *certificates) check(ids []string) {
	c.unchecked = ids
	for !c.checking && len(c.unchecked) > 0 && c.l.ctx.Err() == nil {
		id := c.unchecked[0]
		c.unchecked = c.unchecked[1:]
		r := c.l.ledger.find(id)
		if c.l.subscriber != nil || r == nil || r.Certificate.Path == "" {
			continue
		}
		c.checking = true
		c.l.spawn(func() {
			status := VerifyFile(r.Certificate.Path, r.Certificate.SHA256)
			c.l.post(func(*loop) {
				c.checking = false
				// This check does not notice that the service serves another file.
				if now := c.l.ledger.find(id); status != Unchanged || now != nil && now.FileStatus != Superseded {
					c.setStatus(r, status)
				}
				c.check(c.unchecked)
			})
		})
	}
}

func (c *certificates) setStatus(of *Request, status FileStatus) {
	now := c.l.ledger.find(of.ID)
	if now == nil || now.Certificate.SHA256 != of.Certificate.SHA256 || now.FileStatus == status {
		return
	}
	c.l.ledger.due = true
	c.l.ledger.change(of.ID, func(r *Request) { r.FileStatus = status })
}

var errNoFiles = errors.New("a shared desk saves no files")

func (c *certificates) download(id string, work func(progress func(received, total int64)) func()) {
	c.busy[id] = true
	c.l.out.put(CertificateEvent{ID: id})
	c.l.spawn(func() {
		var sent time.Time
		done := work(func(received, total int64) {
			if time.Since(sent) >= progressGap {
				sent = time.Now()
				c.l.whileRunning(func(l *loop) { l.out.put(CertificateEvent{ID: id, Received: received, Total: total}) })
			}
		})
		c.l.whileRunning(func(*loop) {
			delete(c.busy, id)
			done()
		})
	})
}

func (c *certificates) saved(id string, file retirement.Certificate, err error) {
	if err != nil {
		c.l.out.put(CertificateEvent{ID: id, Err: err})
		return
	}
	c.keep(id, file)
	c.l.out.put(CertificateEvent{ID: id, Received: file.Size, Total: file.Size, Saved: &file})
}

func (c *certificates) keep(id string, file retirement.Certificate) {
	g := c.l.ledger
	if g.find(id) == nil {
		return
	}
	if path, err := filepath.Abs(file.Path); err == nil {
		file.Path = path
	}
	g.change(id, func(r *Request) { r.Certificate, r.FileStatus = file, Unchanged })
	g.edited(func(ctx context.Context) error { return g.l.memory.Ledger.SetCertificate(ctx, id, file) })
}

// FileStatus is the status of the file of a saved certificate.
type FileStatus int8

const (
	// NotVerified: this run has not read the file.
	NotVerified FileStatus = iota
	// Unchanged: its hash equals the recorded one.
	Unchanged
	// Altered: its hash differs from the recorded one.
	Altered
	// Gone: the file does not exist any more.
	Gone
	// Unreadable: the file cannot be read.
	Unreadable
	// Superseded: the file is unchanged, but the service serves another now.
	Superseded
)

// Wrong returns what is wrong with the file, such as "was altered", or "".
func (p FileStatus) Wrong() string {
	switch p {
	case Altered:
		return "was altered"
	case Gone:
		return "is gone"
	case Unreadable:
		return "cannot be read"
	}
	return ""
}

// VerifyFile compares a certificate file with its recorded hash, in hexadecimal. It does not
// open devices or pipes.
func VerifyFile(path, recorded string) FileStatus {
	hash, err := localfile.SHA256(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Gone
	case errors.Is(err, localfile.ErrNotRegular), errors.As(err, new(localfile.TooLargeError)):
		return Altered
	case err != nil:
		return Unreadable
	case hash != recorded:
		return Altered
	}
	return Unchanged
}
