package marketplace

import (
	"cmp"
	"net/http"
	"strings"

	"tonne/api/marketplace/exchange"
	"tonne/api/wire"
	"tonne/model"
)

func (m *Marketplace) getRetirement(w http.ResponseWriter, r *http.Request, from exchange.Caller) error {
	p := parametersOf(r)
	id := p.text("id")
	if err := p.err(); err != nil {
		return err
	}
	return m.respondRetirement(w, r, from, id)
}

// postRetirement answers POST /api/retirement: the interface shows both
// methods. The id stands in the query or in a JSON body, or in both.
func (m *Marketplace) postRetirement(w http.ResponseWriter, r *http.Request, from exchange.Caller) error {
	p := parametersOf(r)
	id := p.text("id")
	if err := p.err(); err != nil {
		return err
	}
	body, err := requestBody(r)
	if err != nil {
		return err
	}
	inBody, err := body.Text("id")
	switch {
	case err != nil:
		return invalid("id " + err.Error())
	case !p.query.Has("id"):
		id = inBody
	case inBody != "" && inBody != id:
		return invalid("id must be the same in the query and in the body")
	}
	return m.respondRetirement(w, r, from, id)
}

func (m *Marketplace) respondRetirement(w http.ResponseWriter, r *http.Request, from exchange.Caller, id string) error {
	if id == "" {
		return invalid("id must be a string that is not empty")
	}
	if err := m.catchUp(r.Context()); err != nil {
		return err
	}
	var retirement model.Retirement
	var found bool
	err := m.db.Read(r.Context(), func(tx exchange.Tx) (err error) {
		retirement, found, err = exchange.Retirement(tx, from.Tenant, id, m.certificateBase(r))
		return err
	})
	if err != nil {
		return err
	}
	if !found {
		return unprocessable(notFound, "There is no retirement request with this id")
	}
	respond(w, r, http.StatusOK, wire.AppendRetirement(nil, retirement, m.certificateField()))
	return nil
}

// defaultCertificateField is what the member of a certificate's URL begins with
// where nothing else was chosen.
const defaultCertificateField = "service"

func (m *Marketplace) certificateField() string {
	return cmp.Or(m.options.CertificateField, defaultCertificateField)
}

func (m *Marketplace) certificateBase(r *http.Request) string {
	base := strings.TrimRight(m.options.PublicURL, "/")
	if base == "" {
		scheme := "http://"
		if r.TLS != nil {
			scheme = "https://"
		}
		base = scheme + r.Host
	}
	return base + "/certificates/"
}
