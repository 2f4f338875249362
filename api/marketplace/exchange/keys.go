package exchange

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"time"
)

// RoleAPIUser is the role that every endpoint needs (interface section 5).
const RoleAPIUser = "API User"

var (
	// ErrMaxKeys is returned when a user has the maximum number of active keys.
	ErrMaxKeys = errors.New("the user already has two active API keys; deactivate one first")
	// ErrUnknownKey is returned for an id that no API key has.
	ErrUnknownKey = errors.New("there is no API key with that id")
)

var (
	errNoActiveKey = refuse("API_KEY_NOT_EXISTS", "There is no active API key with this id")
	errLastKey     = refuse("LAST_ACTIVE_KEY",
		"This is the last active API key: without it only the operator can create another. "+
			"Create one first with POST /api/api-keys, or add last_key=true to the query")
)

// User is a tenant and a role. API keys belong to a user.
type User struct {
	Tenant int64
	Role   string
}

// NewKey is a new API key. Secret is not stored and cannot be read again.
type NewKey struct{ ID, Secret string }

// The lock keeps the number of keys constant until the change is committed.
func activeKeys(c *Change, of User) int64 {
	c.Exclusive()
	return number(c, "SELECT count(*) FROM api_keys WHERE tenant = $1 AND role = $2 AND is_active = 1", of.Tenant, of.Role)
}

// CreateKey creates an API key. It fails with ErrMaxKeys.
func CreateKey(c *Change, of User, name string) NewKey {
	if activeKeys(c, of) >= 2 {
		c.Fail(ErrMaxKeys)
	}
	// Keys are always random, even if the ids of a demo are not.
	var secret [32]byte
	rand.Read(secret[:])
	key := NewKey{ID: c.NewID(apiKeyID), Secret: hex.EncodeToString(secret[:])}
	lookup, hash := hashKey(key.Secret)
	c.Do(`INSERT INTO api_keys (id, tenant, role, name, lookup, hash, created_at, is_active)
		VALUES ($1, $2, $3, $4, $5, $6, $7, 1)`, key.ID, of.Tenant, of.Role, name, lookup, hash, c.At.UnixMilli())
	c.Audit("create key", key.ID, of.Role)
	return key
}

// DeactivateKey makes a key of any tenant permanently invalid. It fails with ErrUnknownKey.
func DeactivateKey(c *Change, id string) {
	if c.Exec("UPDATE api_keys SET is_active = 0 WHERE id = $1", id) == 0 {
		c.Fail(ErrUnknownKey)
	}
	c.Audit("deactivate key", id, "")
}

// DeactivateOwnKey deactivates an active key of the user. It fails with a *Refusal for any
// other id.
func DeactivateOwnKey(c *Change, of User, id string) {
	if c.Exec("UPDATE api_keys SET is_active = 0 WHERE id = $1 AND tenant = $2 AND role = $3 AND is_active = 1", id,
		of.Tenant, of.Role) == 0 {
		c.Fail(errNoActiveKey)
	}
	c.Audit("deactivate key", id, "")
}

// KeepAKey fails with a *Refusal if the user has no active key left.
func KeepAKey(c *Change, of User) {
	if activeKeys(c, of) == 0 {
		c.Fail(errLastKey)
	}
}

// A key has 256 random bits, so a single SHA-256 is enough.
func hashKey(key string) (lookup int64, hash []byte) {
	sum := sha256.Sum256([]byte(key))
	return int64(binary.BigEndian.Uint64(sum[:8])), sum[:]
}

// Key describes an API key. The secret is stored only as a hash.
type Key struct {
	ID, Tenant, Role, Name string
	CreatedAt              time.Time
	Active                 bool
}

const selectKeys = `SELECT k.id, t.name, k.role, k.name, k.created_at, k.is_active
	FROM api_keys k JOIN tenants t ON t.number = k.tenant `

func key(row Row) Key {
	return Key{
		ID: row.Text(0), Tenant: row.Text(1), Role: row.Text(2), Name: row.Text(3),
		CreatedAt: time.UnixMilli(row.Int64(4)).UTC(), Active: row.Bool(5),
	}
}

// Keys lists the API keys of all tenants.
func Keys(tx Tx) []Key { return collect(tx, selectKeys+"ORDER BY t.name, k.number", key) }

// KeysOf lists the API keys of a user, oldest first.
func KeysOf(tx Tx, of User) []Key {
	return collect(tx, selectKeys+"WHERE k.tenant = $1 AND k.role = $2 ORDER BY k.number", key, of.Tenant, of.Role)
}

// Caller is the owner of the API key of an HTTP request.
type Caller struct {
	User
	KeyID string
}

// FindCaller returns the owner of an active key, or the zero Caller for any other key. It is known after the
// transaction.
func FindCaller(tx Tx, key string) *Caller {
	from := new(Caller)
	lookup, hash := hashKey(key)
	tx.Ask("SELECT hash, tenant, id, role FROM api_keys WHERE lookup = $1 AND is_active = 1", func(row Row) {
		if stored, _ := row.Value(0).([]byte); subtle.ConstantTimeCompare(stored, hash) == 1 {
			*from = Caller{User{Tenant: row.Int64(1), Role: row.Text(3)}, row.Text(2)}
		}
	}, lookup)
	return from
}
