package marketplace

import (
	"net/http"

	"tonne/docs"
)

// getOpenAPI answers GET /openapi.json.
func (m *Marketplace) getOpenAPI(w http.ResponseWriter, r *http.Request) {
	respond(w, r, http.StatusOK, docs.OpenAPI)
}
