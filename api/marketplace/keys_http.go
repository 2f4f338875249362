package marketplace

import (
	"errors"
	"net/http"
	"strings"

	"zombiezen.com/go/sqlite"

	"tonne/api/wire"
)

// getKeys answers GET /api/api-keys: the keys of the caller's user.
func (m *Marketplace) getKeys(w http.ResponseWriter, r *http.Request, from caller) error {
	var keys []wire.APIKey
	err := m.db.read(r.Context(), func(conn *sqlite.Conn) error {
		return each(conn, "SELECT id, name, created_at, is_active FROM api_keys WHERE tenant = ? AND role = ? ORDER BY number",
			func(stmt *sqlite.Stmt) error {
				keys = append(keys, wire.APIKey{
					ID: stmt.ColumnText(0), Name: stmt.ColumnText(1), CreatedAt: timestamp(stmt, 2), Active: stmt.ColumnBool(3),
				})
				return nil
			}, from.tenant, from.role)
	})
	if err != nil {
		return err
	}
	m.answer(w, r, http.StatusOK, wire.AppendAPIKeys(nil, keys))
	return nil
}

// postKey answers POST /api/api-keys. With deactivate_current the key that the
// request was made with ends in the same moment.
func (m *Marketplace) postKey(w http.ResponseWriter, r *http.Request, from caller) error {
	body, err := requestBody(r)
	if err != nil {
		return err
	}
	in := bodyReader{body: body}
	name, replace := in.required("name"), in.flag("deactivate_current")
	if err := in.err(); err != nil {
		return err
	}
	var key NewKey
	err = m.change(r.Context(), from.keyID, func(c *change) error {
		if replace {
			if err := c.deactivate(from, from.keyID); err != nil {
				return err
			}
		}
		key, err = c.createKey(from.tenant, from.role, name)
		return err
	})
	if errors.Is(err, ErrMaxKeys) {
		return refuse("MAX_KEYS_REACHED", "A user can have at most 2 active API keys")
	}
	if err != nil {
		return err
	}
	m.answer(w, r, http.StatusOK, wire.AppendNewAPIKey(nil, key.Secret))
	return nil
}

// deleteKey answers DELETE /api/api-keys/{id}: the key is no longer active.
// Nobody is left to make another once the last one has ended, so that one ends
// only where the caller says last_key=true.
func (m *Marketplace) deleteKey(w http.ResponseWriter, r *http.Request, from caller) error {
	id := strings.TrimSpace(r.PathValue("id"))
	p := parametersOf(r)
	last := p.flag("last_key")
	if err := p.err(); err != nil {
		return err
	}
	err := m.change(r.Context(), from.keyID, func(c *change) error {
		if err := c.deactivate(from, id); err != nil || last {
			return err
		}
		active, err := activeKeys(c.Conn, from.tenant, from.role)
		if err == nil && active == 0 {
			err = errLastKey
		}
		return err
	})
	if err != nil {
		return err
	}
	writeBody(w, http.StatusNoContent, nil)
	return nil
}

var errLastKey = refuse("LAST_ACTIVE_KEY", "This is the last active API key: without it only the operator can make another. "+
	"Make one first with POST /api/api-keys, or say last_key=true in the query")

// deactivate ends an active key of the caller's user.
func (c *change) deactivate(from caller, id string) error {
	if err := run(c.Conn, "UPDATE api_keys SET is_active = 0 WHERE id = ? AND tenant = ? AND role = ? AND is_active = 1",
		id, from.tenant, from.role); err != nil {
		return err
	}
	if c.Changes() == 0 {
		return refuse("API_KEY_NOT_EXISTS", "There is no active API key with this id")
	}
	return c.audit("deactivate key", id, "")
}
