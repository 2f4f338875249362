package marketplace

import (
	"bytes"
	"net/http"

	"tonne/docs"
)

func (m *Marketplace) getOpenAPI(w http.ResponseWriter, r *http.Request) {
	const member = "_proof_of_retirement_certificate_url"
	respond(w, r, http.StatusOK, bytes.ReplaceAll(docs.OpenAPI, []byte(defaultCertificateField+member), []byte(m.certificateField()+member)))
}
