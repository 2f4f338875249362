package session

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"tonne/model"
)

// Proof is what is known of the file of a certificate that was saved.
type Proof int8

// The proofs.
const (
	// Unproved: the file was not looked at in this run.
	Unproved Proof = iota
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

// Wrong says what is wrong with the file, such as "was altered"; empty for
// nothing that is known.
func (p Proof) Wrong() string {
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

var errTooLarge = errors.New("no file of the size of a certificate")

// ProveFile holds a file against the hash that was recorded of it, in
// hexadecimal. A device or a pipe is not opened.
func ProveFile(path, sha string) Proof {
	sum, err := hashCertificate(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Gone
	case errors.Is(err, errTooLarge), err == nil && sum != sha:
		return Altered
	case err != nil:
		return Unreadable
	}
	return Unchanged
}

// hashCertificate hashes a regular file. A device or a pipe, which reading could
// hang on, is not opened.
func hashCertificate(path string) (string, error) {
	// To open a device may already have it do something.
	if err := checkCertificate(os.Stat(path)); err != nil {
		return "", err
	}
	return hashOpened(path)
}

// hashOpened hashes a path that led to a regular file a moment ago, and may lead
// elsewhere by now: a pipe that nobody writes to is not waited for.
func hashOpened(path string) (string, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer file.Close()
	if err := checkCertificate(file.Stat()); err != nil {
		return "", err
	}
	hash := sha256.New()
	n, err := io.Copy(hash, io.LimitReader(file, model.LargestCertificate+1))
	if err == nil && n > model.LargestCertificate {
		err = errTooLarge
	}
	return hex.EncodeToString(hash.Sum(nil)), err
}

func checkCertificate(info os.FileInfo, err error) error {
	if err == nil && (!info.Mode().IsRegular() || info.Size() > model.LargestCertificate) {
		return errTooLarge
	}
	return err
}

func (g *ledger) prove() {
	if g.l.role == seated {
		return
	}
	type file struct{ id, path, sha string }
	var files []file
	for _, r := range g.all {
		if r.Certificate.Path != "" && r.Proof == Unproved {
			files = append(files, file{r.ID, r.Certificate.Path, r.Certificate.SHA256})
		}
	}
	if len(files) == 0 {
		return
	}
	g.l.spawn(func() {
		for _, f := range files {
			if g.l.ctx.Err() != nil {
				return
			}
			proof := ProveFile(f.path, f.sha)
			g.l.mail.Post(func(*loop) { g.proved(f.id, f.sha, proof) })
		}
	})
}

// ProveCertificate looks once more at the files that were saved for requests of
// the ledger, one at a time. The ledger is told of one that is another than it was.
// What an earlier call asked for and was not begun is not looked at any more:
// whoever walks down the ledger waits for none of them.
func (s *Session) ProveCertificate(ids ...string) {
	s.mail.Post(func(l *loop) {
		l.ledger.toProve = ids
		l.ledger.proveNext()
	})
}

func (g *ledger) proveNext() {
	for !g.proving && len(g.toProve) > 0 && g.l.ctx.Err() == nil {
		id := g.toProve[0]
		g.toProve = g.toProve[1:]
		r := g.find(id)
		if g.l.role == seated || r == nil || r.Certificate.Path == "" {
			continue
		}
		g.proving = true
		path, sha := r.Certificate.Path, r.Certificate.SHA256
		g.l.spawn(func() {
			proof := ProveFile(path, sha)
			g.l.mail.Post(func(*loop) {
				g.proving = false
				// What the service serves is not asked for here.
				now := g.find(id)
				if now != nil && now.Proof != proof && (now.Proof != Superseded || proof != Unchanged) {
					g.proved(id, sha, proof)
				}
				g.proveNext()
			})
		})
	}
}

func (g *ledger) proved(id, sha string, proof Proof) {
	g.due = true
	g.change(id, func(r *Request) {
		if r.Certificate.SHA256 == sha {
			r.Proof = proof
		}
	})
}
