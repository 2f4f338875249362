package wire

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"tonne/model"
)

func appendComma(dst []byte, before int) []byte {
	if before > 0 {
		return append(dst, ',')
	}
	return dst
}

func appendDigits(dst []byte, n int64) []byte {
	return append(strconv.AppendInt(append(dst, '"'), n, 10), '"')
}

func appendInt(dst []byte, n int) []byte { return strconv.AppendInt(dst, int64(n), 10) }

func appendText(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}

func appendTexts(dst []byte, texts []string) []byte {
	dst = append(dst, '[')
	for i, s := range texts {
		dst = appendText(appendComma(dst, i), s)
	}
	return append(dst, ']')
}

// APIKey is an API key as listed by GET /api/api-keys.
type APIKey struct {
	ID, Name  string
	CreatedAt model.Timestamp
	Active    bool
}

// AppendAPIKeys appends the response of GET /api/api-keys.
func AppendAPIKeys(dst []byte, keys []APIKey) []byte {
	dst = append(dst, `{"api_keys":[`...)
	for i, k := range keys {
		dst = appendComma(dst, i)
		dst = appendText(append(dst, `{"id":`...), k.ID)
		dst = appendText(append(dst, `,"name":`...), k.Name)
		dst = appendText(append(dst, `,"created_at":`...), k.CreatedAt.Text)
		dst = strconv.AppendBool(append(dst, `,"is_active":`...), k.Active)
		dst = append(dst, '}')
	}
	return append(dst, "]}"...)
}

// AppendNewAPIKey appends the response of POST /api/api-keys.
func AppendNewAPIKey(dst []byte, key string) []byte {
	return append(appendText(append(dst, `{"api_key":`...), key), '}')
}

// Refusal is the body of an error response. Interface section 7 documents statusCode,
// error and message; errors of status 422 also have url and timestamp.
type Refusal struct {
	Status int
	// Code is the member error: Forbidden, or a code of section 7.1 such as
	// NOT_FOUND. If empty, it is omitted.
	Code string
	// Messages is written as a string if there is one message, and as a list otherwise.
	Messages []string
	// URL and Timestamp are omitted if they are empty.
	URL       string
	Timestamp model.Timestamp
}

// AppendRefusal appends the body of an error response.
func AppendRefusal(dst []byte, r Refusal) []byte {
	dst = appendInt(append(dst, `{"statusCode":`...), r.Status)
	dst = appendOptional(dst, "url", r.URL)
	dst = appendOptional(dst, "timestamp", r.Timestamp.Text)
	dst = appendOptional(dst, "error", r.Code)
	dst = append(dst, `,"message":`...)
	if len(r.Messages) == 1 {
		dst = appendText(dst, r.Messages[0])
	} else {
		dst = appendTexts(dst, r.Messages)
	}
	return append(dst, '}')
}

func appendOptional(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	dst = appendText(append(dst, ','), name)
	return appendText(append(dst, ':'), value)
}
