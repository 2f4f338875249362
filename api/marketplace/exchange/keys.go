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

// NewKey is an API key, Secret, at the only time that it is known.
type NewKey struct{ ID, Secret string }

// No other change adds or ends a key until this one is committed.
func activeKeys(c *Change, of User) int64 {
	c.Alone()
	return number(c, "SELECT count(*) FROM api_keys WHERE tenant = $1 AND role = $2 AND is_active = 1", of.Tenant, of.Role)
}

// CreateKey makes an API key. It fails with ErrMaxKeys.
func CreateKey(c *Change, of User, name string) NewKey {
	if activeKeys(c, of) >= 2 {
		c.Fail(ErrMaxKeys)
	}
	// Keys are always random, also where the ids of a demo are not.
	var secret [32]byte
	rand.Read(secret[:])
	key := NewKey{ID: c.NewID(apiKeyID), Secret: hex.EncodeToString(secret[:])}
	lookup, hash := hashKey(key.Secret)
	c.Do(`INSERT INTO api_keys (id, tenant, role, name, lookup, hash, created_at, is_active)
		VALUES ($1, $2, $3, $4, $5, $6, $7, 1)`, key.ID, of.Tenant, of.Role, name, lookup, hash, c.At.UnixMilli())
	c.Audit("create key", key.ID, of.Role)
	return key
}

// DeactivateKey makes a key of any tenant invalid for good. It fails with ErrUnknownKey.
func DeactivateKey(c *Change, id string) {
	if c.Exec("UPDATE api_keys SET is_active = 0 WHERE id = $1", id) == 0 {
		c.Fail(ErrUnknownKey)
	}
	c.Audit("deactivate key", id, "")
}

// DeactivateOwnKey ends an active key of the user. Any other id is refused.
func DeactivateOwnKey(c *Change, of User, id string) {
	if c.Exec("UPDATE api_keys SET is_active = 0 WHERE id = $1 AND tenant = $2 AND role = $3 AND is_active = 1", id, of.Tenant, of.Role) == 0 {
		c.Fail(errNoActiveKey)
	}
	c.Audit("deactivate key", id, "")
}

// KeepAKey refuses a change that leaves the user no active key.
func KeepAKey(c *Change, of User) {
	if activeKeys(c, of) == 0 {
		c.Fail(errLastKey)
	}
}

// A key has 256 random bits, so that one round of SHA-256 is enough.
func hashKey(key string) (lookup int64, hash []byte) {
	sum := sha256.Sum256([]byte(key))
	return int64(binary.BigEndian.Uint64(sum[:8])), sum[:]
}

// Key describes an API key. The key itself is kept only as a hash.
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

// Caller is whom the key of a request belongs to.
type Caller struct {
	User
	KeyID string
}

// FindCaller returns whom an active key belongs to, the zero Caller for any other key.
func FindCaller(tx Tx, key string) (from Caller) {
	lookup, hash := hashKey(key)
	tx.Query("SELECT hash, tenant, id, role FROM api_keys WHERE lookup = $1 AND is_active = 1", func(row Row) {
		if stored, _ := row.Value(0).([]byte); subtle.ConstantTimeCompare(stored, hash) == 1 {
			from = Caller{User{Tenant: row.Int64(1), Role: row.Text(3)}, row.Text(2)}
		}
	}, lookup)
	return from
}
