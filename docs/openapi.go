// Package docs holds the documents that the program itself serves.
package docs

import _ "embed"

// OpenAPI is the description of the marketplace service in OpenAPI 3.1.
//
//go:embed openapi.json
var OpenAPI []byte
