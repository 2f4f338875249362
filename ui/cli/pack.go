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
	"tonne/model/localfile"
)

type packing struct {
	path, key string
	signer    ssh.Signer
	// dir is where certificates are until they are packed.
	dir string
	// month has the files of a closed month.
	month []audit.PackFile
}

func (p *packing) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&p.path, "pack", "", "write certificates, evidence, answers and their hashes to `FILE.zip`")
	f.StringVar(&p.key, "sign", "", "sign the hashes of --pack with the SSH key in `KEYFILE`")
}

func (p *packing) clean() {
	if p.dir != "" {
		_ = os.RemoveAll(p.dir)
	}
}

func (r *evidenceRun) preparePack(ctx context.Context) (err error) {
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

func (r *evidenceRun) anyFound(name string) bool {
	failed := len(r.failed())
	switch {
	case failed == len(r.answers):
		r.warn("%s was not written: no request was found", name)
		return false
	case failed > 0:
		r.warn("%s lacks %d of %d requests", name, failed, len(r.answers))
	}
	return true
}

func (r *evidenceRun) writePack(ctx context.Context) error {
	requests, err := r.filed(ctx)
	if err != nil {
		return err
	}
	if !r.anyFound(r.pack.path) {
		r.warnOfKept()
		return nil
	}
	r.warnOfFailedChecks(r.pack.path, requests)
	warnReplaced := r.replacing(r.pack.path)
	if err := r.checked.Pack(r.pack.path, audit.PackOptions{ShowTaxIDs: r.showTaxIDs, Signer: r.pack.signer, Month: r.pack.month}); err != nil {
		return fmt.Errorf("the pack was not written: %w", err)
	}
	warnReplaced()
	r.note(notice{Code: savedCode, Message: "the pack is in " + r.pack.path})
	if !r.showTaxIDs && slices.ContainsFunc(r.found(), func(a audit.Answer) bool { return a.Retirement.NamesTaxID() }) {
		r.warn("%s holds tax ids in full: the answers of the service are in it as they were received", r.pack.path)
	}
	return nil
}

func (r *evidenceRun) warnOfKept() {
	told, records := 0, r.checked.Records
	for _, a := range r.failed() {
		kept := records.Ledger[a.ID]
		if kept.Answer == nil {
			continue
		}
		if told++; told > mostListed {
			continue
		}
		certificate := "no certificate of it was saved"
		if path := records.Unchanged(a.ID); path != "" {
			certificate = "its certificate is unaltered in " + path
		} else if kept.Certificate.Path != "" {
			certificate = "its certificate in " + kept.Certificate.Path + " is not what was saved"
		}
		r.warn("a pack is made of answers as they are received; the ledger has %s as it was answered at %s (%s), and %s",
			a.ID, kept.AnsweredAt.UTC().Format(time.RFC3339), kept.Answer.Status, certificate)
	}
	if more := told - mostListed; more > 0 {
		r.warn("the ledger has %d more of them", more)
	}
}

// examineForPack looks the requests of a pack up and checks them, if there is a pack.
func (r *evidenceRun) examineForPack(ctx context.Context, ids []string) error {
	if r.pack.path == "" {
		return nil
	}
	if len(ids) == 0 {
		r.warn("%s was not written: there is no request for it", r.pack.path)
		return nil
	}
	if err := r.lookUp(ctx, ids, false, nil); err != nil {
		return err
	}
	_, err := r.filed(ctx)
	return err
}

func (r *evidenceRun) packAll(ctx context.Context) error {
	if len(r.answers) == 0 {
		return nil
	}
	if err := r.writePack(ctx); err != nil {
		return err
	}
	if worst := r.worst(); worst != nil {
		return &failure{what: fmt.Sprintf("%d of %d requests or certificates could not be fetched", r.failures(), len(r.answers)), todo: worst.next(), status: worst.status}
	}
	return nil
}
