package storage

import (
	"crypto/subtle"
	"time"

	"tonne/api/marketplace/exchange"
)

// ActiveKeys counts the active keys of a user. Nobody else adds or ends one
// until the change is committed.
func (b *books) ActiveKeys(of exchange.User) (int, error) {
	if err := b.Alone(); err != nil {
		return 0, err
	}
	n, err := number(b, "SELECT count(*) FROM api_keys WHERE tenant = $1 AND role = $2 AND is_active = 1", of.Tenant, of.Role)
	return int(n), err
}

func (b *books) AddKey(key exchange.NewKey, of exchange.User, name string, at time.Time) error {
	lookup, hash := exchange.HashKey(key.Secret)
	return b.Do(`INSERT INTO api_keys (id, tenant, role, name, lookup, hash, created_at, is_active)
		VALUES ($1, $2, $3, $4, $5, $6, $7, 1)`, key.ID, of.Tenant, of.Role, name, lookup, hash, at.UnixMilli())
}

func (b *books) EndKey(id string) (found bool, err error) {
	n, err := b.Exec("UPDATE api_keys SET is_active = 0 WHERE id = $1", id)
	return n > 0, err
}

func (b *books) EndActiveKey(id string, of exchange.User) (found bool, err error) {
	n, err := b.Exec("UPDATE api_keys SET is_active = 0 WHERE id = $1 AND tenant = $2 AND role = $3 AND is_active = 1",
		id, of.Tenant, of.Role)
	return n > 0, err
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
func Keys(tx Tx) ([]Key, error) { return collect(tx, selectKeys+"ORDER BY t.name, k.number", key) }

// KeysOf lists the API keys of a user, oldest first.
func KeysOf(tx Tx, of exchange.User) ([]Key, error) {
	return collect(tx, selectKeys+"WHERE k.tenant = $1 AND k.role = $2 ORDER BY k.number", key, of.Tenant, of.Role)
}

// Caller is whom the key of a request belongs to.
type Caller struct {
	exchange.User
	KeyID string
}

// FindCaller returns whom an active key belongs to, and false for any other
// key.
func FindCaller(tx Tx, key string) (from Caller, found bool, err error) {
	lookup, hash := exchange.HashKey(key)
	stored := make([]byte, len(hash))
	err = tx.Query("SELECT hash, tenant, id, role FROM api_keys WHERE lookup = $1 AND is_active = 1", func(row Row) error {
		n := row.Bytes(0, stored)
		if subtle.ConstantTimeCompare(stored[:n], hash) == 1 {
			found = true
			from = Caller{exchange.User{Tenant: row.Int64(1), Role: row.Text(3)}, row.Text(2)}
		}
		return nil
	}, lookup)
	return from, found, err
}
