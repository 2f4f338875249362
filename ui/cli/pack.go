package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/crypto/ssh"

	"tonne/api/audit"
	"tonne/model"
	"tonne/model/localfile"
	"tonne/model/store"
)

// packing is the evidence pack that a command writes, if any.
type packing struct {
	path, key string
	signer    ssh.Signer
	// dir is where certificates are until they are packed.
	dir string
	// more is what the pack has beside the requests.
	more []audit.PackFile
	// kept, which may be nil, is told of each certificate that is on this machine
	// from now on.
	kept func(id string, c store.Certificate)
}

func (p *packing) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&p.path, "pack", "", "write certificates, evidence, answers and their hashes to `FILE.zip`")
	f.StringVar(&p.key, "sign", "", "sign the hashes of --pack with the SSH key in `KEYFILE`")
}

// clean removes what was kept for the pack.
func (p *packing) clean() {
	if p.dir != "" {
		_ = os.RemoveAll(p.dir)
	}
}

// preparePack refuses a pack that could not be written, and reads the key that
// signs it, before anything is asked of the service.
func (r *retirementRun) preparePack(ctx context.Context) (err error) {
	p := &r.pack
	switch {
	case p.path == "" && p.key != "":
		return usage("name the pack with --pack FILE.zip", "--sign signs a pack, and there is none")
	case p.path == "":
		return nil
	case !strings.HasSuffix(strings.ToLower(p.path), ".zip"):
		return usage("name a file that ends in .zip", "--pack: %q does not end in .zip", p.path)
	}
	if err := audit.CheckPlace(p.path); err != nil {
		return err
	}
	if p.key != "" {
		if p.signer, err = r.readSigner(ctx, p.key); err != nil {
			return err
		}
	}
	if r.certificates == "" {
		p.dir, err = os.MkdirTemp("", "tonne-pack-")
	}
	return err
}

// readSigner reads a private key of SSH, and its passphrase from the terminal
// if it has one.
func (a *app) readSigner(ctx context.Context, path string) (ssh.Signer, error) {
	key, err := localfile.Settings(path)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	signer, err := audit.ParseSigner(key, nil)
	if errors.Is(err, audit.ErrPassphrase) {
		signer, err = a.askPassphrase(ctx, path, key)
	}
	switch {
	case errors.Is(err, audit.ErrPassphrase):
		return nil, failed("run it again and type its passphrase", "the passphrase does not fit %s", path)
	case errors.As(err, new(*failure)):
		return nil, err
	case err != nil:
		return nil, usage("name the file of a private key, such as ~/.ssh/id_ed25519", "--sign: %s: %v", path, err)
	}
	return signer, nil
}

func (a *app) askPassphrase(ctx context.Context, path string, key []byte) (ssh.Signer, error) {
	in, ok := a.Stdin.(*os.File)
	if !ok || !isTerminal(in) {
		return nil, usage("run it at a terminal, where it asks for the passphrase, or sign with a key that has none", "%s needs its passphrase, and standard input is no terminal", path)
	}
	passphrase, err := a.answer(ctx, func() (string, error) {
		return readHidden(in, a.Stderr, fmt.Sprintf("Passphrase for %s (it is not shown): ", path))
	})
	if err != nil {
		return nil, err
	}
	return audit.ParseSigner(key, []byte(passphrase))
}

// writePack writes the pack of what was found, with what was left out.
func (r *retirementRun) writePack(requests []audit.Packed) error {
	switch {
	case len(r.found) == 0:
		r.warn("%s was not written: no request was found", r.pack.path)
		r.tellKept()
		return nil
	case len(r.failed) > 0:
		r.warn("%s lacks %d of %d requests", r.pack.path, len(r.failed), len(r.failed)+len(r.found))
	}
	sources := make([]model.EvidenceSource, len(requests))
	for i, p := range requests {
		sources[i] = p.EvidenceSource
	}
	r.warnOfDoubts(r.pack.path, sources)
	tellReplaced := r.replacing(r.pack.path)
	if err := audit.WritePack(r.pack.path, r.evidenceSource(r.baseURL, r.showTaxIDs), requests, r.pack.signer, r.pack.more...); err != nil {
		return fmt.Errorf("the pack was not written: %w", err)
	}
	tellReplaced()
	r.note(notice{Code: savedCode, Message: "the pack is in " + r.pack.path})
	if !r.showTaxIDs && slices.ContainsFunc(r.found, func(a *lookUpResult) bool { return a.retirement.NamesTaxID() }) {
		r.warn("%s holds tax ids in full: the answers of the service are in it as they were received", r.pack.path)
	}
	return nil
}

// tellKept tells what the ledger has of requests that could not be looked up. A
// pack has answers as they were received, which the ledger has not.
func (r *retirementRun) tellKept() {
	told := 0
	for _, a := range r.failed {
		kept := r.findings.entries[a.id]
		if kept.Answer == nil {
			continue
		}
		if told++; told > mostTold {
			continue
		}
		certificate := "no certificate of it was saved"
		if path := r.findings.unchanged(a.id); path != "" {
			certificate = "its certificate is unaltered in " + path
		} else if kept.Certificate.Path != "" {
			certificate = "its certificate in " + kept.Certificate.Path + " is not what was saved"
		}
		r.warn("a pack is made of answers as they are received; the ledger has %s as it was answered at %s (%s), and %s",
			a.id, kept.AnsweredAt.UTC().Format(time.RFC3339), kept.Answer.Status, certificate)
	}
	if more := told - mostTold; more > 0 {
		r.warn("the ledger has %d more of them", more)
	}
}

// packed are the requests as a pack has them.
func (r *retirementRun) packed(ctx context.Context) ([]audit.Packed, error) {
	sources, err := r.filed(ctx)
	if err != nil {
		return nil, err
	}
	packed := make([]audit.Packed, len(r.results))
	for i, source := range sources {
		a := r.results[i]
		packed[i] = audit.Packed{EvidenceSource: source, Answer: a.answer}
		switch saved := r.findings.unchanged(a.id); {
		case a.certificate != nil:
			packed[i].EvidenceSource.Certificate.FetchedAt = r.findings.firstFetched(a)
			packed[i].Certificate = func() ([]byte, error) { return os.ReadFile(a.certificate.Path) }
		case saved != "" && source.LeftOut == "":
			packed[i].Certificate = func() ([]byte, error) { return os.ReadFile(saved) }
		default:
			// Evidence names what is on this machine; a pack what is in it.
			packed[i].EvidenceSource.Certificate = model.EvidenceCertificate{}
		}
	}
	return packed, nil
}

// forPack looks up requests for a pack, if one was asked for: else there are
// none. It prints none of them.
func (r *retirementRun) forPack(ctx context.Context, ids []string) ([]audit.Packed, error) {
	if r.pack.path == "" {
		return nil, nil
	}
	if len(ids) == 0 {
		r.warn("%s was not written: there is no request for it", r.pack.path)
		return nil, nil
	}
	if err := r.lookUpAll(ctx, ids); err != nil {
		return nil, err
	}
	r.progress.clear()
	r.enterLedger(ctx)
	return r.packed(ctx)
}

// packAll writes the pack of requests that were looked up for it, and fails if any
// of them could not be.
func (r *retirementRun) packAll(requests []audit.Packed) error {
	if len(requests) == 0 {
		return nil
	}
	if err := r.writePack(requests); err != nil {
		return err
	}
	if worst := r.worst(); worst != nil {
		return &failure{what: fmt.Sprintf("%d of %d requests or certificates could not be fetched", r.failures(), len(requests)), todo: worst.next(), status: worst.status}
	}
	return nil
}
