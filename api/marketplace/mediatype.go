package marketplace

import (
	"mime"
	"net/http"
	"strings"
)

func checkMediaType(r *http.Request) error {
	if r.ContentLength == 0 {
		return nil
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return errMediaType
	}
	header := r.Header.Get("Content-Type")
	if header == "" {
		return nil
	}
	kind, parameters, err := mime.ParseMediaType(header)
	charset := parameters["charset"]
	if err != nil || kind != "application/json" || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return errMediaType
	}
	return nil
}
