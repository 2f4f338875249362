package cli

import (
	"crypto/ed25519"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"tonne/ui/cli/command"
)

// publicKey returns a public key as a line of authorized_keys, and its fingerprint.
func publicKey(t *testing.T, seed byte) (line, fingerprint string) {
	t.Helper()
	private := ed25519.NewKeyFromSeed([]byte(strings.Repeat(string(rune(seed)), ed25519.SeedSize)))
	key, err := ssh.NewPublicKey(private.Public())
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key))), ssh.FingerprintSHA256(key)
}

func TestEvidenceVerifyRequiresTheSigner(t *testing.T) {
	t.Parallel()
	w, _ := withCertificates(t)
	key, _ := w.sshKey("")
	signed, unsigned := filepath.Join(w.env["HOME"], "signed.zip"), filepath.Join(w.env["HOME"], "unsigned.zip")
	w.must("retirement", "C1", "--pack", signed, "--sign", key)
	w.must("retirement", "C1", "--pack", unsigned)
	mine, fingerprint := publicKey(t, 0)
	other, otherPrint := publicKey(t, 1)
	file := func(lines ...string) string {
		f, err := os.CreateTemp(t.TempDir(), "allowed_signers")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(strings.Join(lines, "\n") + "\n"); err != nil {
			t.Fatal(err)
		}
		return f.Name()
	}
	for name, c := range map[string]struct {
		pack, flag, value string
		status            int
		text              string
	}{
		"no requirement":                    {signed, "", "", 0, ""},
		"any signature":                     {signed, "--require-signature", "true", 0, ""},
		"any signature, unsigned":           {unsigned, "--require-signature", "true", command.StatusFailed, "unsigned.zip is unsigned: origin not proven."},
		"fingerprint":                       {signed, "--signer", fingerprint, 0, ""},
		"fingerprint, unsigned":             {unsigned, "--signer", fingerprint, command.StatusFailed, "unsigned.zip is unsigned: origin not proven."},
		"fingerprint of another key":        {signed, "--signer", otherPrint, command.StatusFailed, "signed by the key " + fingerprint + ", which is not a required signer."},
		"public key":                        {signed, "--signer", mine, 0, ""},
		"public key with a comment":         {signed, "--signer", mine + " ann@example", 0, ""},
		"another public key":                {signed, "--signer", other, command.StatusFailed, "which is not a required signer."},
		"public key file":                   {signed, "--signer", file(mine), 0, ""},
		"allowed signers":                   {signed, "--signer", file("# people", "", "ben@example "+other, "ann@example,ann "+mine), 0, ""},
		"allowed signers, quoted principal": {signed, "--signer", file(`"ann example" ` + mine), 0, ""},
		"allowed signers without the key":   {signed, "--signer", file("ben@example " + other), command.StatusFailed, "which is not a required signer."},
		"matching namespace":                {signed, "--signer", file(`ann namespaces="git,fi*" ` + mine), 0, ""},
		"other namespaces":                  {signed, "--signer", file(`ann namespaces="git" `+mine, "ben "+other), command.StatusFailed, "which is not a required signer."},
		"excluded namespace":                {signed, "--signer", file(`ann namespaces="*,!file" `+mine, "ben "+other), command.StatusFailed, "which is not a required signer."},
		"valid":                             {signed, "--signer", file(`ann valid-after="20200101",valid-before="29990101Z" ` + mine), 0, ""},
		"expired":                           {signed, "--signer", file(`ann valid-before="20200101" ` + mine), command.StatusUsage, "has no key that may sign a pack now."},
		"not yet valid":                     {signed, "--signer", file(`ann valid-after="29990101" ` + mine), command.StatusUsage, "has no key that may sign a pack now."},
		"certificate authority":             {signed, "--signer", file("ann cert-authority " + mine), command.StatusUsage, "has no key that may sign a pack now."},
		"unknown option":                    {signed, "--signer", file("ann touch-required " + mine), command.StatusUsage, "the option touch-required is not known."},
		"bad time":                          {signed, "--signer", file(`ann valid-before="soon" ` + mine), command.StatusUsage, "valid-before must be YYYYMMDD"},
		"no key in the line":                {signed, "--signer", file("ann"), command.StatusUsage, "is neither a public key nor a line of allowed_signers."},
		"empty file":                        {signed, "--signer", file(), command.StatusUsage, "has no key that may sign a pack now."},
		"no file":                           {signed, "--signer", "no-such-file", command.StatusUsage, "no such file"},
		"empty":                             {signed, "--signer", "", command.StatusUsage, "--signer: "},
		"short fingerprint":                 {signed, "--signer", "SHA256:abcd", command.StatusUsage, "is not a SHA256 fingerprint."},
	} {
		args := []string{"evidence", "verify", c.pack}
		if c.flag != "" {
			args = append(args, c.flag+"="+c.value)
		}
		r := w.run(args...)
		if r.status != c.status || !strings.Contains(r.stderr, c.text) || (c.status == 0) != (r.stdout != "") {
			t.Errorf("%s: status %d, want %d and %q\n%s%s", name, r.status, c.status, c.text, r.stdout, r.stderr)
		}
	}
}

func TestEvidenceVerifyNamesSignerFirst(t *testing.T) {
	t.Parallel()
	w, _ := withCertificates(t)
	key, fingerprint := w.sshKey("")
	pack := filepath.Join(w.env["HOME"], "a.zip")
	for _, want := range []string{"unsigned: origin not proven", "signed by the key " + fingerprint} {
		args := []string{"retirement", "C1", "--pack", pack}
		if strings.HasPrefix(want, "signed") {
			args = append(args, "--sign", key)
		}
		w.must(args...)
		if first, _, _ := strings.Cut(w.must("evidence", "verify", pack), "\n"); first != "Origin        "+want {
			t.Errorf("first line is %q, want %s", first, want)
		}
		for _, format := range []string{"json", "jsonl"} {
			if got := w.must("evidence", "verify", pack, "-o", format); !strings.Contains(got, `"origin":"`+want+`"`) {
				t.Errorf("%s has no origin %q:\n%s", format, want, got)
			}
		}
	}
}

func TestEvidenceVerifyRefusesFilesOutsideTheSignature(t *testing.T) {
	t.Parallel()
	w, _ := withCertificates(t)
	key, fingerprint := w.sshKey("")
	pack := filepath.Join(w.env["HOME"], "a.zip")
	w.must("retirement", "C1", "--pack", pack, "--sign", key)
	for wrong, change := range map[string]func(file, content string) string{
		"SHA256SUMS.sig does not match SHA256SUMS": func(_, content string) string { return strings.ReplaceAll(content, "Ann", "Eve") },
		"is unsigned: origin not proven": func(file, content string) string {
			if file == "SHA256SUMS.sig" {
				return ""
			}
			return content
		},
	} {
		r := w.run("evidence", "verify", repack(t, pack, change), "--signer", fingerprint)
		if r.status != command.StatusFailed || !strings.Contains(r.stderr, wrong) {
			t.Errorf("status %d, want %s:\n%s", r.status, wrong, r.stderr)
		}
	}
	w.must("evidence", "verify", repack(t, pack, func(_, content string) string { return content }), "--signer", fingerprint)
}
