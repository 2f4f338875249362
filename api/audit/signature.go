package audit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
)

// Namespace is the namespace of the signature, the value of ssh-keygen -n.
const Namespace = "file"

// ErrPassphrase is returned by ParseSigner if the passphrase of an encrypted key is missing
// or wrong.
var ErrPassphrase = errors.New("the key needs its passphrase")

// ParseSigner reads an SSH private key. passphrase may be nil. The error is ErrPassphrase
// if the passphrase is missing or wrong.
func ParseSigner(key, passphrase []byte) (ssh.Signer, error) {
	signer, err := ssh.ParsePrivateKey(key)
	if passphrase != nil {
		signer, err = ssh.ParsePrivateKeyWithPassphrase(key, passphrase)
	}
	switch {
	case errors.As(err, new(*ssh.PassphraseMissingError)), passphrase != nil && err != nil:
		return nil, ErrPassphrase
	case err != nil:
		return nil, errors.New("not an SSH private key that tonne can sign with; hardware keys and ssh-agent are " +
			"not supported")
	}
	return signer, nil
}

// Required is the signature that VerifyPack requires. The zero value requires none.
type Required struct {
	// Signature requires one by any key.
	Signature bool
	// Signers are fingerprints. One of these keys must have signed; empty means any key.
	Signers []string
}

// Unsigned is the message for a pack without a signature.
const Unsigned = "unsigned: origin not proven"

// SignerError is returned for a pack without the required signature.
type SignerError struct {
	// Signer is the fingerprint of the key that signed, or empty.
	Signer string
}

// Error names the key that signed, but not the pack.
func (e *SignerError) Error() string {
	if e.Signer == "" {
		return Unsigned
	}
	return "signed by the key " + e.Signer + ", which is not a required signer"
}

func (r Required) check(signer string) error {
	needed := r.Signature || len(r.Signers) > 0
	if needed && signer == "" || len(r.Signers) > 0 && !slices.Contains(r.Signers, signer) {
		return &SignerError{signer}
	}
	return nil
}

func sign(message []byte, signer ssh.Signer) ([]byte, error) {
	signature, err := sshsig.Sign(bytes.NewReader(message), signer, sshsig.HashSHA512, Namespace)
	if err != nil {
		return nil, fmt.Errorf("cannot sign the list of hashes: %w", err)
	}
	return sshsig.Armor(signature), nil
}

func checkSignature(message, armored []byte) (fingerprint string, err error) {
	signature, err := sshsig.Unarmor(armored)
	if err != nil {
		return "", errors.New("is not an SSH signature")
	}
	err = sshsig.Verify(bytes.NewReader(message), signature, signature.PublicKey, signature.HashAlgorithm, Namespace)
	if err != nil {
		return "", errors.New("does not match " + sumsFile)
	}
	return ssh.FingerprintSHA256(signature.PublicKey), nil
}
