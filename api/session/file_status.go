package session

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"

	"tonne/model"
	"tonne/model/localfile"
)

// FileStatus is what is known of the file of a saved certificate.
type FileStatus int8

const (
	// NotVerified: the file was not read in this run.
	NotVerified FileStatus = iota
	// Unchanged: its hash is the one that was recorded.
	Unchanged
	// Altered: it is not.
	Altered
	// Gone: there is no such file any more.
	Gone
	// Unreadable: the file cannot be read.
	Unreadable
	// Superseded: the file is unchanged, but the service serves another now.
	Superseded
)

// Wrong returns what is wrong with the file, such as "was altered", and "" if
// nothing is known to be.
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

// VerifyFile compares the file of a certificate with the hash that was recorded of
// it, in hexadecimal. A device or a pipe is not opened.
func VerifyFile(path, recorded string) FileStatus {
	hash := sha256.New()
	err := localfile.Copy(hash, path, model.LargestCertificate)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Gone
	case errors.Is(err, localfile.ErrNotRegular), errors.As(err, new(localfile.TooLargeError)):
		return Altered
	case err != nil:
		return Unreadable
	case hex.EncodeToString(hash.Sum(nil)) != recorded:
		return Altered
	}
	return Unchanged
}

// CheckCertificateFile checks the files that were saved for requests of the ledger
// again, one at a time. A LedgerEvent reports a file whose status changed. A call
// drops what earlier calls requested and was not started.
func (s *Session) CheckCertificateFile(ids ...string) {
	s.post(func(l *loop) {
		l.ledger.toVerify = ids
		l.ledger.verifyNext()
	})
}

func (g *ledger) verifyNext() {
	for !g.verifying && len(g.toVerify)+len(g.unverified) > 0 && g.l.ctx.Err() == nil {
		queue := &g.toVerify
		if len(*queue) == 0 {
			queue = &g.unverified
		}
		id := (*queue)[0]
		*queue = (*queue)[1:]
		r := g.find(id)
		if g.l.subscriber != nil || r == nil || r.Certificate.Path == "" {
			continue
		}
		g.verifying = true
		path, sha := r.Certificate.Path, r.Certificate.SHA256
		g.l.spawn(func() {
			status := VerifyFile(path, sha)
			g.l.post(func(*loop) {
				g.verifying = false
				// This does not tell whether the service serves another file.
				now := g.find(id)
				if now != nil && now.FileStatus != status && (now.FileStatus != Superseded || status != Unchanged) {
					g.setFileStatus(id, sha, status)
				}
				g.verifyNext()
			})
		})
	}
}

func (g *ledger) setFileStatus(id, sha string, status FileStatus) {
	g.due = true
	g.change(id, func(r *Request) {
		if r.Certificate.SHA256 == sha {
			r.FileStatus = status
		}
	})
}
