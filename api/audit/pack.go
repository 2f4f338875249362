package audit

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path"
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

var errPackFull = fmt.Errorf("a pack has %d files, and as many requests as tonne can verify, at most; make one for each part of the requests", maxPackFiles)

// Packed is a retirement request of a pack.
type Packed struct {
	Request
	// Answer is the response of the service as it was received; nil for one that was
	// left out.
	Answer []byte
	// Content returns the certificate that Request names; nil for none.
	Content func() ([]byte, error)
}

// PackFile is a file that a pack has beside those of its requests.
type PackFile struct {
	Name    string
	Content []byte
}

// WritePack writes a zip file to path with everything that an auditor files of
// retirement requests: the evidence in all formats, their certificates, the
// answers of the service, a manifest, what more there is, and the SHA-256 of each
// file in a list that `sha256sum -c` reads. The list is signed if signer is not nil. The file
// is whole or not there; what was there before is replaced.
//
// The same requests make the same bytes, with the same version of the program
// and an Ed25519 or RSA key: requests stand in the order of their ids, nothing
// is compressed, and nothing says when the pack was made: a certificate is dated
// by when it was first on this machine.
func WritePack(path string, from Source, requests []Packed, signer ssh.Signer, more ...PackFile) error {
	from.CreatedAt = time.Time{}
	requests = slices.SortedFunc(slices.Values(requests), func(a, b Packed) int { return cmp.Compare(a.Retirement.ID, b.Retirement.ID) })
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

func (p *packer) writeAll(requests []Packed) error {
	all := make([]Request, len(requests))
	for i, r := range requests {
		all[i] = r.Request
	}
	if err := p.write(readmeFile, []byte(packReadme)); err != nil {
		return err
	}
	if err := p.writeRequests(requests); err != nil {
		return err
	}
	e := newEvidence(p.from, all)
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
	m.TaxIDsInAnswers = slices.ContainsFunc(requests, func(r Packed) bool { return r.Answer != nil && r.Retirement.NamesTaxID() })
	manifest, err := indented(m)
	if err != nil {
		return err
	}
	return p.write(manifestFile, manifest)
}

func (p *packer) writeRequests(requests []Packed) error {
	for _, r := range requests {
		if r.Answer == nil {
			continue
		}
		if err := p.write(answersDir+model.FileName(r.Retirement.ID)+".json", r.Answer); err != nil {
			return err
		}
	}
	for _, r := range requests {
		if r.Content == nil {
			continue
		}
		content, err := r.Content()
		if err != nil {
			return err
		}
		if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != r.Certificate.SHA256 {
			return fmt.Errorf("%s was altered while it was packed", r.Certificate.File)
		}
		if err := p.write(certificates+path.Base(r.Certificate.File), content); err != nil {
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
	if len(p.names) > maxPackFiles || !within(name, content) {
		return errPackFull
	}
	sum := sha256.Sum256(content)
	fmt.Fprintf(&p.sums, "%s  %s\n", hex.EncodeToString(sum[:]), name)
	return p.store(name, content)
}

// packedAt is the time of every file of a pack: the first that a zip knows.
var packedAt = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// store adds a file as it is: how well a program compresses changes with its
// version.
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

const packReadme = `This is an evidence pack of retired carbon credits, written by tonne.

evidence.csv, .json, .xlsx  one row for each range of serial numbers; the
                            columns doubts and left_out say what is wrong
answers/                    what the marketplace answered, as it was received
                            (tax ids in it are not masked)
certificates/               the certificates, as they were served; where the
                            marketplace serves one no more, the copy that was
                            saved on the day in certificate_fetched_at
close.csv, .json, .xlsx     of a month that was closed, if it is one: its
                            requests by state, and what its invoices must
                            amount to
manifest.json               where this was read, what is wrong with it, and
                            the calls of tonne's journal that made it
SHA256SUMS                  the SHA-256 of each of these files
SHA256SUMS.sig              a signature of that list, if there is one

To check it without tonne:

  unzip -d pack FILE.zip && cd pack
  sha256sum -c SHA256SUMS
  ssh-keygen -Y check-novalidate -n file -s SHA256SUMS.sig < SHA256SUMS
  ssh-keygen -Y verify -f ALLOWED_SIGNERS -I NAME -n file -s SHA256SUMS.sig < SHA256SUMS

where ALLOWED_SIGNERS is a file with the line

  NAME ssh-ed25519 AAAA...

of the person who signed and their public key, as you got it from them: the
first ssh-keygen command says that the signature fits, the second that it is
theirs. A file that is not in SHA256SUMS was not in the pack. Where there is no
SHA256SUMS.sig, all of this proves only that the pack agrees with itself:
whoever altered it can have written the list anew.

To check it with tonne: tonne evidence verify FILE.zip. That also makes of each
answer anew what the evidence has of it, and compares. What stands in no answer
is compared with nothing: names and years of projects, the checks of the
certificates and of the ledger, what people told, the journal, and what was
bought in a month.

Nothing in a pack says when it was made, so that the same requests make the
same bytes: certificate_fetched_at is when a certificate was first on the
machine of whoever made the pack. Whoever must show when a pack was made has
it signed by a time-stamping authority.
`
