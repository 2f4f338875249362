package marketplace

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"
)

// RoleAPIUser is the role that every endpoint needs (interface section 5).
const RoleAPIUser = "API User"

// maxActiveKeys is how many keys of a user may be active at a time. A user is
// a role in a tenant.
const maxActiveKeys = 2

var (
	// ErrMaxKeys is returned when a user has its full number of active keys.
	ErrMaxKeys = errors.New("the user has two active API keys already; deactivate one first")
	// ErrUnknownKey is returned for an id that no API key has.
	ErrUnknownKey = errors.New("there is no API key with that id")
	// ErrNoTenant is returned for a key without the name of a tenant.
	ErrNoTenant = errors.New("a key needs the name of its tenant")
)

// Key describes an API key. The key itself is kept only as a hash.
type Key struct {
	ID, Tenant, Role, Name string
	CreatedAt              time.Time
	Active                 bool
}

// NewKey is an API key at the only time that it is known.
type NewKey struct {
	ID string
	// Secret is the key: 64 hexadecimal digits.
	Secret string
}

// caller is the tenant and the role behind the key of a request.
type caller struct {
	tenant int64
	keyID  string
	role   string
}

// CreateKey makes an API key for a role of a tenant; an empty role is
// RoleAPIUser. A tenant that is not there yet is created. The error is
// ErrMaxKeys where the role has two active keys already, and a *TextError for
// a name that would not be shown as it is.
func (m *Marketplace) CreateKey(ctx context.Context, tenant, role, name string) (NewKey, error) {
	if tenant == "" {
		return NewKey{}, ErrNoTenant
	}
	if role == "" {
		role = RoleAPIUser
	}
	if err := errors.Join(checkName("role", role), checkName("key", name)); err != nil {
		return NewKey{}, err
	}
	var key NewKey
	err := m.change(ctx, operator, func(c *change) error {
		number, err := c.tenant(tenant, "", "")
		if err != nil {
			return err
		}
		key, err = c.createKey(number, role, name)
		return err
	})
	if err != nil {
		return NewKey{}, fmt.Errorf("create API key: %w", err)
	}
	return key, nil
}

// Keys lists the API keys of all tenants.
func (m *Marketplace) Keys(ctx context.Context) ([]Key, error) {
	var keys []Key
	err := m.db.read(ctx, func(conn *sqlite.Conn) error {
		return each(conn, `SELECT k.id, t.name, k.role, k.name, k.created_at, k.is_active
			FROM api_keys k JOIN tenants t ON t.number = k.tenant ORDER BY t.name, k.number`,
			func(stmt *sqlite.Stmt) error {
				keys = append(keys, Key{
					ID: stmt.ColumnText(0), Tenant: stmt.ColumnText(1), Role: stmt.ColumnText(2), Name: stmt.ColumnText(3),
					CreatedAt: time.UnixMilli(stmt.ColumnInt64(4)).UTC(), Active: stmt.ColumnBool(5),
				})
				return nil
			})
	})
	if err != nil {
		return nil, fmt.Errorf("list API keys: %w", err)
	}
	return keys, nil
}

// DeactivateKey makes a key of any tenant invalid for good. The error is
// ErrUnknownKey where there is none with the id.
func (m *Marketplace) DeactivateKey(ctx context.Context, id string) error {
	err := m.change(ctx, operator, func(c *change) error {
		if err := run(c.Conn, "UPDATE api_keys SET is_active = 0 WHERE id = ?", id); err != nil {
			return err
		}
		if c.Changes() == 0 {
			return ErrUnknownKey
		}
		return c.audit("deactivate key", id, "")
	})
	if err != nil {
		return fmt.Errorf("deactivate API key: %w", err)
	}
	return nil
}

// tenant returns the number of the tenant with the name, created where there
// is none.
func (c *change) tenant(name, taxID, country string) (int64, error) {
	var number int64
	found, err := find(c.Conn, "SELECT number FROM tenants WHERE name = ?",
		func(stmt *sqlite.Stmt) { number = stmt.ColumnInt64(0) }, name)
	if found || err != nil {
		return number, err
	}
	// A name that an older version took stays in use.
	if err := checkName("tenant", name); err != nil {
		return 0, err
	}
	err = run(c.Conn, "INSERT INTO tenants (name, tax_id, country) VALUES (?, ?, ?)", name, optional(taxID), optional(country))
	return c.LastInsertRowID(), err
}

// activeKeys counts the active keys of a user.
func activeKeys(conn *sqlite.Conn, tenant int64, role string) (active int, err error) {
	_, err = find(conn, "SELECT count(*) FROM api_keys WHERE tenant = ? AND role = ? AND is_active = 1",
		func(stmt *sqlite.Stmt) { active = stmt.ColumnInt(0) }, tenant, role)
	return active, err
}

func (c *change) createKey(tenant int64, role, name string) (NewKey, error) {
	active, err := activeKeys(c.Conn, tenant, role)
	if err != nil {
		return NewKey{}, err
	}
	if active >= maxActiveKeys {
		return NewKey{}, ErrMaxKeys
	}
	id, err := c.newID(apiKeyID)
	if err != nil {
		return NewKey{}, err
	}
	// Keys are always random, also where the ids of a demo are not.
	var secret [32]byte
	rand.Read(secret[:])
	key := NewKey{ID: id, Secret: hex.EncodeToString(secret[:])}
	lookup, hash := hashKey(key.Secret)
	if err := run(c.Conn, `INSERT INTO api_keys (id, tenant, role, name, lookup, hash, created_at, is_active)
		VALUES (?, ?, ?, ?, ?, ?, ?, 1)`, id, tenant, role, name, lookup, hash, c.millis()); err != nil {
		return NewKey{}, err
	}
	return key, c.audit("create key", id, role)
}

// hashKey returns the hash that a key is kept as and the part of it that finds
// the row. A key has 256 random bits, so that one round of SHA-256 is enough.
func hashKey(key string) (lookup int64, hash []byte) {
	sum := sha256.Sum256([]byte(key))
	return int64(binary.BigEndian.Uint64(sum[:8])), sum[:]
}

// callerOf returns whom an active key belongs to, and false for any other key.
func callerOf(conn *sqlite.Conn, key string) (caller, bool, error) {
	lookup, hash := hashKey(key)
	var found caller
	ok := false
	stored := make([]byte, len(hash))
	err := each(conn, "SELECT hash, tenant, id, role FROM api_keys WHERE lookup = ? AND is_active = 1",
		func(stmt *sqlite.Stmt) error {
			n := stmt.ColumnBytes(0, stored)
			if subtle.ConstantTimeCompare(stored[:n], hash) == 1 {
				found, ok = caller{stmt.ColumnInt64(1), stmt.ColumnText(2), stmt.ColumnText(3)}, true
			}
			return nil
		}, lookup)
	return found, ok, err
}
