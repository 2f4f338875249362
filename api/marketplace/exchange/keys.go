package exchange

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"time"
)

// RoleAPIUser is the role that every endpoint needs (interface section 5).
const RoleAPIUser = "API User"

// maxActiveKeys is how many keys of a user may be active at a time.
const maxActiveKeys = 2

var (
	// ErrMaxKeys is returned when a user has its full number of active keys.
	ErrMaxKeys = errors.New("the user has two active API keys already; deactivate one first")
	// ErrUnknownKey is returned for an id that no API key has.
	ErrUnknownKey = errors.New("there is no API key with that id")
)

var (
	errNoActiveKey = refuse("API_KEY_NOT_EXISTS", "There is no active API key with this id")
	errLastKey     = refuse("LAST_ACTIVE_KEY", "This is the last active API key: without it only the operator can make another. "+
		"Make one first with POST /api/api-keys, or say last_key=true in the query")
)

// User is a role in a tenant.
type User struct {
	Tenant int64
	Role   string
}

// NewKey is an API key at the only time that it is known.
type NewKey struct {
	ID string
	// Secret is the key: 64 hexadecimal digits.
	Secret string
}

type keys interface {
	// ActiveKeys counts the active keys of a user.
	ActiveKeys(User) (int, error)
	AddKey(key NewKey, of User, name string, at time.Time) error
	// EndKey makes a key invalid; it reports whether there is one with the id.
	EndKey(id string) (found bool, err error)
	// EndActiveKey is EndKey for the active keys of a user.
	EndActiveKey(id string, of User) (found bool, err error)
}

// CreateKey makes an API key. The error is ErrMaxKeys where the user has two
// active keys already.
func (c *Change) CreateKey(of User, name string) (NewKey, error) {
	active, err := c.ActiveKeys(of)
	if err != nil {
		return NewKey{}, err
	}
	if active >= maxActiveKeys {
		return NewKey{}, ErrMaxKeys
	}
	id, err := c.NewID(apiKeyID)
	if err != nil {
		return NewKey{}, err
	}
	// Keys are always random, also where the ids of a demo are not.
	var secret [32]byte
	rand.Read(secret[:])
	key := NewKey{ID: id, Secret: hex.EncodeToString(secret[:])}
	if err := c.AddKey(key, of, name, c.At); err != nil {
		return NewKey{}, err
	}
	return key, c.audit("create key", id, of.Role)
}

// DeactivateKey makes a key of any tenant invalid for good. The error is
// ErrUnknownKey where there is none with the id.
func (c *Change) DeactivateKey(id string) error {
	found, err := c.EndKey(id)
	return c.deactivated(id, found, err, ErrUnknownKey)
}

// DeactivateOwnKey ends an active key of the user. Any other id is refused.
func (c *Change) DeactivateOwnKey(of User, id string) error {
	found, err := c.EndActiveKey(id, of)
	return c.deactivated(id, found, err, errNoActiveKey)
}

func (c *Change) deactivated(id string, found bool, err, unknown error) error {
	if err == nil && !found {
		err = unknown
	}
	if err != nil {
		return err
	}
	return c.audit("deactivate key", id, "")
}

// KeepAKey refuses where the user has no active key left: nobody is left to
// make another.
func (c *Change) KeepAKey(of User) error {
	active, err := c.ActiveKeys(of)
	if err == nil && active == 0 {
		err = errLastKey
	}
	return err
}

// HashKey returns the hash that a key is kept as and the part of it that finds
// the row. A key has 256 random bits, so that one round of SHA-256 is enough.
func HashKey(key string) (lookup int64, hash []byte) {
	sum := sha256.Sum256([]byte(key))
	return int64(binary.BigEndian.Uint64(sum[:8])), sum[:]
}
