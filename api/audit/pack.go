package audit

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"tonne/model"
	"tonne/model/file/localfile"
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
var readmeText string

var errPackFull = fmt.Errorf("too many requests for one pack: tonne verifies at most %d files; split the requests "+
	"into several packs", maxPackFiles)

// PackFile is an additional file of a pack.
type PackFile struct {
	Name    string
	Content []byte
}

// WritePack writes a zip file with the evidence of requests in all formats, their
// certificates, the API responses, a manifest, the files in more, and a list of SHA-256
// hashes for `sha256sum -c`. It signs the list if signer is not nil.
//
// With the same version of the program and an Ed25519 or RSA key, the same requests give
// the same bytes: requests are sorted, files are not compressed, and there are no times
// of creation.
func WritePack(to localfile.Target, from Source, requests []Request, signer ssh.Signer, more ...PackFile) error {
	from.CreatedAt = time.Time{}
	requests = slices.SortedFunc(slices.Values(requests),
		func(a, b Request) int { return cmp.Compare(a.Retirement.ID, b.Retirement.ID) })
	return to.Write(func(w *os.File) error {
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
	if err := p.write(readmeFile, packReadme()); err != nil {
		return err
	}
	if err := p.writeRequests(requests); err != nil {
		return err
	}
	t := newTable(p.from, requests)
	for _, ending := range formats {
		var file bytes.Buffer
		if err := t.write(&file, ending, true); err != nil {
			return err
		}
		if err := p.write(evidenceFile+ending, file.Bytes()); err != nil {
			return err
		}
	}
	t.manifest.TaxIDsInAnswers = slices.ContainsFunc(requests,
		func(r Request) bool { return r.Body != nil && r.Retirement.NamesTaxID() })
	manifest, err := t.manifest.bytes()
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
			return fmt.Errorf("%s was modified while it was being packed", r.certificateFile())
		}
		if err := p.write(certificates+r.certificateFile(), content); err != nil {
			return err
		}
	}
	return nil
}

func (p *packer) write(name string, content []byte) error {
	if other, taken := p.names[strings.ToLower(name)]; taken {
		return fmt.Errorf("%s and %s differ only in upper and lower case, which some file systems ignore; put them into "+
			"separate packs", other, name)
	}
	p.names[strings.ToLower(name)] = name
	if len(p.names) > maxPackFiles || checkContent(name, content) != nil {
		return errPackFull
	}
	sum := sha256.Sum256(content)
	fmt.Fprintf(&p.sums, "%s  %s\n", hex.EncodeToString(sum[:]), name)
	return p.store(name, content)
}

// packedAt is the modification time of every file in a pack, the earliest in the zip format.
var packedAt = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// Compression would make the bytes depend on the version of the library.
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
