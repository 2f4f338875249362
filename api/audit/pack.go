package audit

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"tonne/model"
	"tonne/model/atomicfile"
)

// The files of a pack that are not named after a request.
const (
	sumsFile      = "SHA256SUMS"
	signatureFile = "SHA256SUMS.sig"
	manifestFile  = "manifest.json"
	evidenceFile  = "evidence" // and an ending
	readmeFile    = "README.txt"
	answersDir    = "answers/"
	certificates  = "certificates/"
)

//go:embed readme.txt
var packReadme []byte

var errPackFull = fmt.Errorf("a pack has %d files, and as many requests as tonne can verify, at most; make one for each part of the requests", maxPackFiles)

// PackFile is a file that a pack has beside those of its requests.
type PackFile struct {
	Name    string
	Content []byte
}

// WritePack writes a zip file to path with the evidence of requests in all formats,
// their certificates, the answers of the service, a manifest, what more there is, and
// a list of SHA-256 hashes that `sha256sum -c` reads, signed if signer is not nil. What
// was there before is replaced.
//
// The same requests make the same bytes, with the same version of the program and an
// Ed25519 or RSA key: they are sorted, nothing is compressed, and nothing says when the
// pack was made.
func WritePack(path string, from Source, requests []Request, signer ssh.Signer, more ...PackFile) error {
	from.CreatedAt = time.Time{}
	requests = slices.SortedFunc(slices.Values(requests), func(a, b Request) int { return cmp.Compare(a.Retirement.ID, b.Retirement.ID) })
	return atomicfile.Write(path, 0o600, func(w io.Writer) error {
		p := packer{zip: zip.NewWriter(w), from: from, names: make(map[string]string)}
		if err := p.writeAll(requests); err != nil {
			return err
		}
		for _, file := range more {
			if err := p.write(file.Name, file.Content); err != nil {
				return err
			}
		}
		if err := p.seal(signer); err != nil {
			return err
		}
		return p.zip.Close()
	})
}

type packer struct {
	zip  *zip.Writer
	from Source
	// sums are the lines of the list of hashes.
	sums strings.Builder
	// names are the names so far, in lower case.
	names map[string]string
}

func (p *packer) writeAll(requests []Request) error {
	if err := p.write(readmeFile, packReadme); err != nil {
		return err
	}
	if err := p.writeRequests(requests); err != nil {
		return err
	}
	e := newEvidence(p.from, requests)
	for _, ending := range formats {
		var file bytes.Buffer
		if err := e.write(&file, ending, true); err != nil {
			return err
		}
		if err := p.write(evidenceFile+ending, file.Bytes()); err != nil {
			return err
		}
	}
	m := e.manifest()
	m.TaxIDsInAnswers = slices.ContainsFunc(requests, func(r Request) bool { return r.Body != nil && r.Retirement.NamesTaxID() })
	manifest, err := indented(m)
	if err != nil {
		return err
	}
	return p.write(manifestFile, manifest)
}

func (p *packer) writeRequests(requests []Request) error {
	for _, r := range requests {
		if r.Body == nil {
			continue
		}
		if err := p.write(answersDir+model.FileName(r.Retirement.ID)+".json", r.Body); err != nil {
			return err
		}
	}
	for _, r := range requests {
		if r.Certificate.Path == "" {
			continue
		}
		content, err := os.ReadFile(r.Certificate.Path)
		if err != nil {
			return err
		}
		if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != r.Certificate.SHA256 {
			return fmt.Errorf("%s was altered while it was packed", r.certificateFile())
		}
		if err := p.write(certificates+r.certificateFile(), content); err != nil {
			return err
		}
	}
	return nil
}

func (p *packer) write(name string, content []byte) error {
	if other, taken := p.names[strings.ToLower(name)]; taken {
		return fmt.Errorf("%s and %s differ in letter case alone, which some file systems cannot tell apart; pack them one by one", other, name)
	}
	p.names[strings.ToLower(name)] = name
	if len(p.names) > maxPackFiles || checkContent(name, content) != nil {
		return errPackFull
	}
	sum := sha256.Sum256(content)
	fmt.Fprintf(&p.sums, "%s  %s\n", hex.EncodeToString(sum[:]), name)
	return p.store(name, content)
}

// packedAt is the time of every file of a pack: the first that a zip knows.
var packedAt = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// How well a program compresses changes with its version.
func (p *packer) store(name string, content []byte) error {
	file, err := p.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Modified: packedAt})
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return err
}

func (p *packer) seal(signer ssh.Signer) error {
	sums := []byte(p.sums.String())
	if err := p.store(sumsFile, sums); err != nil || signer == nil {
		return err
	}
	signature, err := sign(sums, signer)
	if err != nil {
		return err
	}
	return p.store(signatureFile, signature)
}
