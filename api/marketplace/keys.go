package marketplace

import (
	"errors"
	"net/http"
	"strings"

	"tonne/api/marketplace/exchange"
	"tonne/api/wire"
	"tonne/model"
)

func (m *Marketplace) getKeys(w http.ResponseWriter, r *http.Request, from exchange.Caller) error {
	keys, err := exchange.Read(r.Context(), m.db, func(tx exchange.Tx) []exchange.Key {
		return exchange.KeysOf(tx, from.User)
	})
	if err != nil {
		return err
	}
	shown := make([]wire.APIKey, len(keys))
	for i, k := range keys {
		shown[i] = wire.APIKey{ID: k.ID, Name: k.Name, CreatedAt: model.At(k.CreatedAt), Active: k.Active}
	}
	respond(w, r, http.StatusOK, wire.AppendAPIKeys(nil, shown))
	return nil
}

func (m *Marketplace) postKey(w http.ResponseWriter, r *http.Request, from exchange.Caller) error {
	body, err := requestBody(r)
	if err != nil {
		return err
	}
	in := bodyReader{body: body}
	name, replace := in.required("name"), in.flag("deactivate_current")
	if err := in.err(); err != nil {
		return err
	}
	var key exchange.NewKey
	err = m.change(r.Context(), from.KeyID, func(c *exchange.Change) {
		if replace {
			exchange.DeactivateOwnKey(c, from.User, from.KeyID)
		}
		key = exchange.CreateKey(c, from.User, name)
	})
	if errors.Is(err, exchange.ErrMaxKeys) {
		return unprocessable("MAX_KEYS_REACHED", "A user can have at most 2 active API keys")
	}
	if err != nil {
		return err
	}
	respond(w, r, http.StatusOK, wire.AppendNewAPIKey(nil, key.Secret))
	return nil
}

// deleteKey answers DELETE /api/api-keys/{id}. Deleting the last key needs last_key=true,
// because without a key the client cannot create another.
func (m *Marketplace) deleteKey(w http.ResponseWriter, r *http.Request, from exchange.Caller) error {
	id := strings.TrimSpace(r.PathValue("id"))
	p := parametersOf(r)
	last := p.flag("last_key")
	if err := p.err(); err != nil {
		return err
	}
	err := m.change(r.Context(), from.KeyID, func(c *exchange.Change) {
		exchange.DeactivateOwnKey(c, from.User, id)
		if !last {
			exchange.KeepAKey(c, from.User)
		}
	})
	if err != nil {
		return err
	}
	writeBody(w, http.StatusNoContent, nil)
	return nil
}
