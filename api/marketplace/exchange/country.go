package exchange

import (
	"strings"

	"tonne/model/country"
)

// IsCountry reports whether a text is a two-letter code of ISO 3166-1, in
// capitals. Codes that only others use, such as EU, UK and XK, are none.
func IsCountry(code string) bool { return code == strings.ToUpper(code) && country.Name(code) != "" }
