package api

import "time"

// Certificate is a retirement certificate that was saved to a file.
type Certificate struct {
	// Path is the file, named after the retirement request.
	Path string
	// MediaType is what the content is: application/pdf, image/png or
	// image/jpeg.
	MediaType string
	Size      int64
	// SHA256 is the hash of the content in hexadecimal.
	SHA256    string
	FetchedAt time.Time
}
