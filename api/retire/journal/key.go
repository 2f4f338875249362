package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
)

// ErrOtherKey is returned for a call that was made with another API key, and so
// perhaps for another tenant, for whom it would have its effect once more.
var ErrOtherKey = errors.New("the call was made with another API key")

// KeyMark tells one API key from others without revealing it: 16 hexadecimal
// digits. No key has the mark "".
func KeyMark(key string) string {
	if key == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("tonne journal" + key))
	return hex.EncodeToString(sum[:8])
}
