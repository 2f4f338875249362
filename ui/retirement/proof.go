package retirement

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"

	"tonne/ui/effect"
	"tonne/ui/style"
)

// proof is what is known of the file of a certificate that was saved.
type proof int8

const (
	// unproved: the file was not looked at in this run.
	unproved proof = iota
	// unchanged: its hash is the one that was recorded.
	unchanged
	// altered: it is not.
	altered
	// gone: there is no such file any more.
	gone
	// unreadable: the file cannot be read.
	unreadable
	// superseded: the file is unchanged, but the service serves another now.
	superseded
)

// phrase says what is known, and in which role.
func (p proof) phrase() (style.Role, string) {
	switch p {
	case unchanged:
		return style.Accent, "unchanged"
	case altered:
		return style.Warning, "✗ the file has changed since"
	case gone:
		return style.Warning, "✗ the file is gone"
	case unreadable:
		return style.Warning, "✗ the file cannot be read"
	case superseded:
		return style.Warning, "⚠ the service now serves another file"
	}
	return style.Faint, "not checked"
}

// largestCertificate is the largest file that can be a certificate.
const largestCertificate = 20 << 20

// proveFile holds a file against the hash that was recorded of it.
func proveFile(path, sha string) proof {
	sum := sha256.New()
	var large largeError
	switch err := copyRegular(sum, path, largestCertificate); {
	case errors.Is(err, fs.ErrNotExist):
		return gone
	case errors.Is(err, errNoFile), errors.As(err, &large):
		return altered
	case err != nil:
		return unreadable
	case hex.EncodeToString(sum.Sum(nil)) != sha:
		return altered
	}
	return unchanged
}

// prove holds the files of all certificates against their hashes, those that
// were not looked at in this run.
func (t *Tab) prove() effect.Effect {
	files := make(map[string]certificateFile)
	for _, e := range t.ledger.entries {
		if e.certificate.Path != "" && e.proof == unproved {
			files[e.id] = certificateFile{e.certificate.Path, e.certificate.SHA256}
		}
	}
	if len(files) == 0 {
		return nil
	}
	return effect.Work(func(ctx context.Context) any {
		proofs := make(map[string]proof, len(files))
		for id, f := range files {
			if ctx.Err() != nil {
				return nil
			}
			proofs[id] = proveFile(f.path, f.sha)
		}
		return proved{files, proofs}
	})
}

// certificateFile is a file and the hash that was recorded of it.
type certificateFile struct{ path, sha string }

// proved is what is known of files, by the ids of their requests.
type proved struct {
	files  map[string]certificateFile
	proofs map[string]proof
}

func (t *Tab) takeProofs(r proved) effect.Effect {
	for id, p := range r.proofs {
		t.ledger.change(id, func(e *entry) {
			if e.certificate.SHA256 == r.files[id].sha {
				e.proof = p
			}
		})
	}
	return t.settle()
}

// rememberCertificate enters the file of a certificate in the store.
func (t *Tab) rememberCertificate(e *entry) effect.Effect {
	id, c := e.id, e.certificate
	return t.keeper.do(func(ctx context.Context) error { return t.o.Store.SetCertificate(ctx, t.o.Origin, id, c) })
}
