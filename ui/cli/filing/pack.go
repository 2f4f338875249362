package filing

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/crypto/ssh"

	"tonne/api/audit"
	"tonne/model/advice"
	"tonne/model/file/localfile"
	"tonne/ui/cli/command"
	"tonne/ui/cli/terminal"
)

// PackFlags are the flags of a pack and its data until it is written.
type PackFlags struct {
	Path, key string
	// Overwrite replaces files.
	Overwrite bool
	signer    ssh.Signer
	// fetched has the certificates until they are packed.
	fetched *audit.Fetched
	// complete means that another run would add nothing to the pack.
	complete bool
	// Month contains the files of a closed month.
	Month []audit.PackFile
}

// Target returns the file of the pack.
func (p *PackFlags) Target() localfile.Target {
	return localfile.Target{Path: p.Path, Overwrite: p.Overwrite}
}

// AddFlags adds --pack, --sign and --overwrite.
func (p *PackFlags) AddFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&p.Path, "pack", "",
		"write certificates, evidence, API responses and their hashes to `FILE.zip`; an interrupted pack resumes with the "+
			"certificates in FILE.zip.partial")
	command.OverwriteFlag(cmd, &p.Overwrite)
	f.StringVar(&p.key, "sign", "", "sign the hashes of --pack with the SSH key in `KEYFILE`")
}

// CleanPack removes the certificates that were kept only for the pack, unless it is incomplete: the
// same command then resumes with them.
func (r *EvidenceRun) CleanPack() {
	p := &r.Pack
	if p.fetched == nil {
		return
	}
	if err := p.fetched.Close(p.complete); err != nil {
		r.App.Warn("%s cannot be removed: %v", p.Path+audit.PartialEnding, err)
		return
	}
	if _, err := os.Stat(p.fetched.Dir()); err != nil {
		return
	}
	again := "the same command"
	if _, err := os.Stat(p.Path); err == nil && !p.Overwrite {
		again += " with --overwrite"
	}
	r.App.Warn("the certificates so far are in %s; %s resumes with them within a day", p.Path+audit.PartialEnding, again)
}

// PreparePack checks the flags of a pack and reads its key. The caller calls CleanPack.
func (r *EvidenceRun) PreparePack(ctx context.Context) (err error) {
	p := &r.Pack
	switch {
	case p.Path == "" && p.key != "":
		return command.Usage("name the pack with --pack FILE.zip", "--sign needs --pack")
	case p.Path == "":
		return nil
	case !strings.HasSuffix(strings.ToLower(p.Path), ".zip"):
		return command.Usage("name a file that ends in .zip", "--pack: %q does not end in .zip", p.Path)
	}
	if err := p.Target().Check(); err != nil {
		return err
	}
	if p.key != "" {
		if p.signer, err = readSigner(ctx, r.App, p.key); err != nil {
			return err
		}
	}
	p.fetched, err = audit.OpenFetched(p.Path+audit.PartialEnding, r.App.Now)
	if errors.Is(err, audit.ErrNotOurs) {
		return command.Failed("remove it; it should have the certificates of an interrupted run", "%v", err)
	}
	return err
}

func readSigner(ctx context.Context, a *command.App, path string) (ssh.Signer, error) {
	key, err := localfile.Settings(path)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	signer, err := audit.ParseSigner(key, nil)
	if errors.Is(err, audit.ErrPassphrase) {
		signer, err = askPassphrase(ctx, a, path, key)
	}
	switch {
	case errors.Is(err, audit.ErrPassphrase):
		return nil, command.Failed("run it again and type its passphrase", "wrong passphrase for %s", path)
	case errors.As(err, new(*command.Failure)):
		return nil, err
	case err != nil:
		return nil, command.Usage("name the file of a private key, such as ~/.ssh/id_ed25519", "--sign: %s: %v", path, err)
	}
	return signer, nil
}

func askPassphrase(ctx context.Context, a *command.App, path string, key []byte) (ssh.Signer, error) {
	in, ok := a.Stdin.(*os.File)
	if !ok || !terminal.IsTerminal(in) {
		return nil, command.Usage("run it at a terminal and type the passphrase, or sign with a key without one",
			"%s needs its passphrase, and standard input is not a terminal", path)
	}
	passphrase, err := a.Answer(ctx, func() (string, error) {
		return command.ReadHidden(in, a.Stderr, fmt.Sprintf("Passphrase for %s (hidden): ", path))
	})
	if err != nil {
		return nil, err
	}
	return audit.ParseSigner(key, []byte(passphrase))
}

// Replacing is called before a file is written. After the write, tell warns if the file had
// other contents before, which may have been signed.
func Replacing(a *command.App, path string) (tell func()) {
	before, err := localfile.SHA256(path)
	return func() {
		if now, _ := localfile.SHA256(path); err == nil && now != before {
			a.Warn("%s was replaced; its earlier contents had the SHA-256 %s", path, before)
		}
	}
}

// AnyFound reports whether a request was found, and warns of requests missing from the file.
func (r *EvidenceRun) AnyFound(name string) bool {
	failed := len(r.Failed())
	switch {
	case failed == len(r.Answers):
		r.App.Warn("%s was not written: no request was found", name)
		return false
	case failed > 0:
		r.App.Warn("%s lacks %d of %d requests", name, failed, len(r.Answers))
	}
	return true
}

// WritePack writes the pack of the found requests.
func (r *EvidenceRun) WritePack(ctx context.Context) error {
	requests, err := r.Filed(ctx)
	if err != nil {
		return err
	}
	if !r.AnyFound(r.Pack.Path) {
		return nil
	}
	r.WarnOfFailedChecks(r.Pack.Path, requests)
	books, err := r.executionFiles(ctx)
	if err != nil {
		return err
	}
	warnReplaced := Replacing(r.App, r.Pack.Path)
	more := slices.Concat(r.Pack.Month, books)
	if err := r.Checked.Pack(r.Pack.Target(), r.ShowTaxIDs, r.Pack.signer, more...); err != nil {
		return fmt.Errorf("the pack was not written: %w", err)
	}
	warnReplaced()
	r.Pack.complete = !slices.ContainsFunc(r.Answers, audit.Answer.Passes)
	r.App.Note(command.Notice{Code: command.SavedCode, Message: "the pack is in " + r.Pack.Path})
	if !r.ShowTaxIDs && slices.ContainsFunc(r.Found(), func(a audit.Answer) bool { return a.Retirement.NamesTaxID() }) {
		r.App.Warn("%s contains full tax ids, because it includes the unchanged API responses", r.Pack.Path)
	}
	return nil
}

// ExamineForPack looks up and checks the requests of a pack, if there is one.
func (r *EvidenceRun) ExamineForPack(ctx context.Context, ids []string) error {
	if r.Pack.Path == "" {
		return nil
	}
	if len(ids) == 0 {
		r.App.Warn("%s was not written: there are no requests", r.Pack.Path)
		return nil
	}
	if err := r.LookUp(ctx, ids, 0, nil); err != nil {
		return err
	}
	_, err := r.Filed(ctx)
	return err
}

// PackAll writes the pack, if there is one. It returns the most severe failure.
func (r *EvidenceRun) PackAll(ctx context.Context) error {
	if len(r.Answers) == 0 {
		return nil
	}
	if err := r.WritePack(ctx); err != nil {
		return err
	}
	if worst := r.Worst(); worst != nil {
		return &command.Failure{What: advice.Format("%d of %d requests or certificates could not be fetched", r.Failures(),
			len(r.Answers)), Todo: worst.Next(), Status: worst.Status}
	}
	return nil
}
