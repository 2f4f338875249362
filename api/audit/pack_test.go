package audit

import (
	"archive/zip"
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"tonne/api/wire"
	"tonne/model"
	"tonne/model/file/localfile"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

// packed returns two requests with all data and one that was left out.
func packed() []Request {
	sources := retirements()
	for i := range sources {
		sources[i].Retirement.AllInvoicesSettled = model.Yes
		sources[i].Body = wire.AppendRetirement([]byte(" "), sources[i].Retirement, "x")
		answered := must.Get(wire.DecodeRetirement(sources[i].Body))
		sources[i].Retirement = answered
	}
	sources[0].Certificate = retirement.Certificate{Path: "testdata/0012345678901234567890.pdf",
		SHA256: hashOf("%PDF-1.7")}
	return append(sources, Request{Retirement: retirement.Request{ID: "lost"}, LeftOut: "not found"})
}

func writePack(t *testing.T, requests []Request, signer ssh.Signer) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pack.zip")
	from := Source{CreatedAt: time.Now(), Service: "https://market.example", Version: "v1"}
	must.Succeed(t, WritePack(localfile.Target{Path: path}, from, requests, signer))
	return path
}

func contents(t *testing.T, path string) []byte {
	t.Helper()
	return must.Get(os.ReadFile(path))
}

// newSigner returns a new key, and the path of the key in the format of ssh-keygen.
func newSigner(t *testing.T, passphrase string) (ssh.Signer, string) {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	must.Succeed(t, err)
	block, err := ssh.MarshalPrivateKey(key, "")
	if passphrase != "" {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(key, "", []byte(passphrase))
	}
	must.Succeed(t, err)
	path := filepath.Join(t.TempDir(), "id_ed25519")
	must.Succeed(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
	signer := must.Get(ssh.NewSignerFromKey(key))
	return signer, path
}

func TestPackIsReproducible(t *testing.T) {
	signer, _ := newSigner(t, "")
	first := contents(t, writePack(t, packed(), signer))
	turned := packed()
	slices.Reverse(turned)
	second := contents(t, writePack(t, turned, signer))
	must.Hold(t, bytes.Equal(first, second), "the order of the requests changes the pack")
	other := packed()
	other[1].Body = []byte("{}")
	second = contents(t, writePack(t, other, signer))
	must.Hold(t, !bytes.Equal(first, second), "a different answer does not change the pack")
}

func TestPackContents(t *testing.T) {
	path := writePack(t, packed(), nil)
	archive := must.Get(zip.OpenReader(path))
	defer archive.Close()
	var names []string
	for _, f := range archive.File {
		names = append(names, f.Name)
	}
	want := "README.txt answers/0012345678901234567890.json answers/R2.json certificates/0012345678901234567890.pdf " +
		"evidence.csv evidence.json evidence.xlsx manifest.json SHA256SUMS"
	must.Equal(t, strings.Join(names, " "), want)
	answer := must.Get(archive.Open("answers/R2.json"))
	var text bytes.Buffer
	_, err := text.ReadFrom(answer)
	must.Hold(t, err == nil && text.String() == string(packed()[1].Body), "the answer is", text.String(), err)
	must.Equal(t, must.Get(os.Stat(path)).Mode().Perm(), 0o600)
}

func TestIDsThatDifferOnlyInCaseAreRejected(t *testing.T) {
	one, other := packed()[1], packed()[1]
	other.Retirement.ID = "r2"
	path := filepath.Join(t.TempDir(), "pack.zip")
	err := WritePack(localfile.Target{Path: path}, Source{}, []Request{one, other}, nil)
	must.Hold(t, err != nil && strings.Contains(err.Error(), "upper and lower case"), "error is", err)
	must.Fail(t, must.Err(os.Stat(path)), os.ErrNotExist)
}

// tool runs a program, or skips the test if the program is not installed.
func tool(t *testing.T, dir string, stdin []byte, name string, args ...string) (string, error) {
	t.Helper()
	program, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(stdin)
	text, err := cmd.CombinedOutput()
	return string(text), err
}

func TestStandardToolsVerifyPack(t *testing.T) {
	t.Parallel()
	signer, _ := newSigner(t, "")
	stranger, _ := newSigner(t, "")
	path := writePack(t, packed(), signer)
	dir := t.TempDir()
	text, err := tool(t, dir, nil, "unzip", "-q", path)
	must.Need(t, err == nil, "unzip", err, text)
	must.Equal(t, strings.Count(must.Get(tool(t, dir, nil, "sha256sum", "-c", "--strict", "SHA256SUMS")), ": OK\n"), 8,
		"sha256sum")
	sums := contents(t, filepath.Join(dir, "SHA256SUMS"))
	for key, good := range map[ssh.Signer]bool{signer: true, stranger: false} {
		allowed := filepath.Join(t.TempDir(), "allowed")
		line := "auditor@example " + string(ssh.MarshalAuthorizedKey(key.PublicKey()))
		must.Succeed(t, os.WriteFile(allowed, []byte(line), 0o600))
		text, err := tool(t, dir, sums, "ssh-keygen", "-Y", "verify", "-f", allowed, "-I", "auditor@example", "-n", "file",
			"-s", "SHA256SUMS.sig")
		must.Equal(t, err == nil, good, err, text)
	}
	text, err = tool(t, dir, append(sums, '\n'), "ssh-keygen", "-Y", "check-novalidate", "-n", "file", "-s",
		"SHA256SUMS.sig")
	must.Hold(t, err != nil, "the signature matches another list:\n", text)
	must.Equal(t, must.Get(VerifyPack(path, "v1", Required{})).Signer, ssh.FingerprintSHA256(signer.PublicKey()))
}

func TestSSHKeygenKeysCanSign(t *testing.T) {
	t.Parallel()
	for kind, bits := range map[string]string{"ed25519": "256", "rsa": "2048", "ecdsa": "256"} {
		path := filepath.Join(t.TempDir(), "id")
		text, err := tool(t, "", nil, "ssh-keygen", "-q", "-a", "1", "-t", kind, "-b", bits, "-N", "secret words", "-f", path)
		must.Need(t, err == nil, "ssh-keygen", err, text)
		key := contents(t, path)
		must.Fail(t, must.Err(ParseSigner(key, nil)), ErrPassphrase, kind)
		must.Fail(t, must.Err(ParseSigner(key, []byte("other words"))), ErrPassphrase, kind)
		signer := must.Get(ParseSigner(key, []byte("secret words")))
		must.Equal(t, must.Get(VerifyPack(writePack(t, packed(), signer), "v1", Required{})).Signer,
			ssh.FingerprintSHA256(signer.PublicKey()), kind)
	}
}

func TestInvalidKeyHasClearError(t *testing.T) {
	for _, text := range []string{"", "ssh-ed25519 AAAA me",
		"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"} {
		_, err := ParseSigner([]byte(text), nil)
		must.Hold(t, err != nil && strings.Contains(err.Error(), "not an SSH private key"), text, err)
	}
}

func TestCertificateModifiedDuringPackingIsRejected(t *testing.T) {
	requests := packed()
	requests[0].Certificate.SHA256 = hashOf("%PDF-1.7 before it was altered")
	path := filepath.Join(t.TempDir(), "pack.zip")
	err := WritePack(localfile.Target{Path: path}, Source{}, requests, nil)
	must.Hold(t, err != nil && err.Error() == "0012345678901234567890.pdf was modified while it was being packed",
		"the error is", err)
	must.Hold(t, must.Err(os.Stat(path)) != nil, "the pack was written")
}
