// Package docs embeds the OpenAPI description, which the service returns. Tests in this folder
// check the documents against the code.
package docs

import _ "embed"

// OpenAPI is the description of the marketplace service in OpenAPI 3.1.
//
//go:embed openapi.json
var OpenAPI []byte
