package pdf

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"tonne/model/must"
)

// The service prints a certificate at each download, and users keep its hash. If this test
// fails, store the certificates that have been issued before you change how they are printed.
func TestIssuedCertificatesKeepTheirBytes(t *testing.T) {
	const want = "16a4e6e9137b798a9453821023fdb59b5b793e726c70250daa9455a77d0b2205"
	if got := fmt.Sprintf("%x", sha256.Sum256(must.Get(Print(example(3, 2))))); got != want {
		t.Errorf("the certificate has the hash %s, not %s", got, want)
	}
}
