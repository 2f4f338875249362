package evidence

import (
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"tonne/api/audit"
	"tonne/ui/cli/command"
	"tonne/ui/cli/sshd"
)

// signers returns the fingerprints of --signer, which is a fingerprint, a public key,
// or the path of a file of public keys or of an allowed_signers file.
func signers(value string, now time.Time) ([]string, error) {
	if hash, found := strings.CutPrefix(value, "SHA256:"); found {
		if sum, err := base64.RawStdEncoding.DecodeString(hash); err != nil || len(sum) != 32 {
			return nil, command.Usage("copy the fingerprint from ssh-keygen -l -f KEY.pub",
				"--signer: %q is not a SHA256 fingerprint", value)
		}
		return []string{value}, nil
	}
	if fingerprint, ok := keyLine(value); ok {
		return []string{fingerprint}, nil
	}
	file, err := os.Open(value)
	if err != nil {
		return nil, command.Usage("give a public key, a fingerprint (SHA256:...) or the path of an allowed_signers file",
			"--signer: %v", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, 1<<20))
	if err != nil {
		return nil, err
	}
	var allowed []string
	for line := range strings.Lines(string(text)) {
		fingerprint, err := allowedSigner(strings.TrimSpace(line), now)
		if err != nil {
			return nil, command.Usage("correct the line, see ALLOWED SIGNERS in ssh-keygen(1)", "--signer: %s: %v", value, err)
		}
		if fingerprint != "" {
			allowed = append(allowed, fingerprint)
		}
	}
	if len(allowed) == 0 {
		return nil, command.Usage("add a line with the key of the signer", "--signer: %s has no key that may sign a pack now",
			value)
	}
	return allowed, nil
}

func keyLine(line string) (fingerprint string, ok bool) {
	key, _, options, rest, err := ssh.ParseAuthorizedKey([]byte(line))
	if err != nil || len(options)+len(rest) > 0 {
		return "", false
	}
	return ssh.FingerprintSHA256(key), true
}

// allowedSigner returns the fingerprint of the key in a line of allowed_signers, or
// "" if the line does not allow the key to sign a pack now.
func allowedSigner(line string, now time.Time) (string, error) {
	if line == "" || line[0] == '#' {
		return "", nil
	}
	if fingerprint, ok := keyLine(line); ok {
		return fingerprint, nil
	}
	principals, end := line, " "
	if quoted, found := strings.CutPrefix(line, `"`); found {
		principals, end = quoted, `"`
	}
	_, rest, _ := strings.Cut(strings.ReplaceAll(principals, "\t", " "), end)
	key, _, options, _, err := ssh.ParseAuthorizedKey([]byte(rest))
	if err != nil {
		return "", fmt.Errorf("%q is neither a public key nor a line of allowed_signers", sshd.Printable(line))
	}
	for _, option := range options {
		if allowed, err := allows(option, now); !allowed || err != nil {
			return "", err
		}
	}
	return ssh.FingerprintSHA256(key), nil
}

func allows(option string, now time.Time) (bool, error) {
	name, value, _ := strings.Cut(option, "=")
	value = strings.Trim(value, `"`)
	switch name = strings.ToLower(name); name {
	case "cert-authority":
		// The key signs certificates, not packs.
		return false, nil
	case "namespaces":
		allowed := false
		for pattern := range strings.SplitSeq(value, ",") {
			pattern, denied := strings.CutPrefix(pattern, "!")
			matched, err := path.Match(pattern, audit.Namespace)
			if matched && denied || err != nil {
				return false, err
			}
			allowed = allowed || matched
		}
		return allowed, nil
	case "valid-after", "valid-before":
		at, err := sshd.ParseTime(value)
		if err != nil {
			return false, fmt.Errorf("%s %w", name, err)
		}
		return now.Before(at) == (name == "valid-before"), nil
	}
	return false, fmt.Errorf("the option %s is not known", sshd.Printable(name))
}
