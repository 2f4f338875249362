package evidence

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
)

// namespace is what the signature is for, as ssh-keygen -n wants it.
const namespace = "file"

// ErrPassphrase is returned by ParseSigner for a key that is encrypted, where
// there is no passphrase or a wrong one.
var ErrPassphrase = errors.New("the key needs its passphrase")

// ParseSigner reads a private key of SSH. passphrase is nil for none. The error
// is ErrPassphrase if it needs another.
func ParseSigner(key, passphrase []byte) (ssh.Signer, error) {
	var signer ssh.Signer
	var err error
	if passphrase == nil {
		signer, err = ssh.ParsePrivateKey(key)
	} else {
		signer, err = ssh.ParsePrivateKeyWithPassphrase(key, passphrase)
	}
	var missing *ssh.PassphraseMissingError
	switch {
	case errors.As(err, &missing), passphrase != nil && err != nil:
		return nil, ErrPassphrase
	case err != nil:
		return nil, errors.New("it is no private key of SSH that tonne can sign with; keys on hardware and in agents it cannot use")
	}
	return signer, nil
}

// sign returns an armored signature of a message, as ssh-keygen -Y sign makes
// it.
func sign(message []byte, signer ssh.Signer) ([]byte, error) {
	signature, err := sshsig.Sign(bytes.NewReader(message), signer, sshsig.HashSHA512, namespace)
	if err != nil {
		return nil, fmt.Errorf("the list of hashes was not signed: %w", err)
	}
	return sshsig.Armor(signature), nil
}

// checkSignature returns the fingerprint of the key that signed a message. Who
// has that key, a signature does not say.
func checkSignature(message, armored []byte) (fingerprint string, err error) {
	signature, err := sshsig.Unarmor(armored)
	if err != nil {
		return "", errors.New("is no signature of SSH")
	}
	err = sshsig.Verify(bytes.NewReader(message), signature, signature.PublicKey, signature.HashAlgorithm, namespace)
	if err != nil {
		return "", errors.New("does not fit " + sumsFile)
	}
	return ssh.FingerprintSHA256(signature.PublicKey), nil
}
