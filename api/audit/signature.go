package audit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
)

// Namespace is what the signature is for, as ssh-keygen -n wants it.
const Namespace = "file"

// ErrPassphrase is returned by ParseSigner for a key that is encrypted, where
// there is no passphrase or a wrong one.
var ErrPassphrase = errors.New("the key needs its passphrase")

// ParseSigner reads a private key of SSH. passphrase is nil for none. The error
// is ErrPassphrase if it needs another.
func ParseSigner(key, passphrase []byte) (ssh.Signer, error) {
	signer, err := ssh.ParsePrivateKey(key)
	if passphrase != nil {
		signer, err = ssh.ParsePrivateKeyWithPassphrase(key, passphrase)
	}
	switch {
	case errors.As(err, new(*ssh.PassphraseMissingError)), passphrase != nil && err != nil:
		return nil, ErrPassphrase
	case err != nil:
		return nil, errors.New("it is no private key of SSH that tonne can sign with; keys on hardware and in agents it cannot use")
	}
	return signer, nil
}

// Required is the signature that a pack needs. The zero value needs none.
type Required struct {
	// Signature requires one by any key.
	Signature bool
	// Signers are the fingerprints of the keys of which one must have signed;
	// empty for any key.
	Signers []string
}

// Unsigned is what is said of a pack without a signature.
const Unsigned = "unsigned: origin not proven"

// SignerError is returned for a pack without the signature that is required.
type SignerError struct {
	// Signer is the fingerprint of the key that signed, empty for none.
	Signer string
}

// Error says who signed, without the name of the pack.
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
		return nil, fmt.Errorf("the list of hashes was not signed: %w", err)
	}
	return sshsig.Armor(signature), nil
}

func checkSignature(message, armored []byte) (fingerprint string, err error) {
	signature, err := sshsig.Unarmor(armored)
	if err != nil {
		return "", errors.New("is no signature of SSH")
	}
	err = sshsig.Verify(bytes.NewReader(message), signature, signature.PublicKey, signature.HashAlgorithm, Namespace)
	if err != nil {
		return "", errors.New("does not fit " + sumsFile)
	}
	return ssh.FingerprintSHA256(signature.PublicKey), nil
}
