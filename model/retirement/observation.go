package retirement

import (
	"errors"
	"time"

	"tonne/model"
)

// Observation is what a person saw in a public registry, which tonne never reads.
type Observation struct {
	// Subject is the id of a retirement request, or a serial number.
	Subject string
	At      time.Time
	// Who is the person, as they call themselves.
	Who string
	// URL is the address that they saw it at.
	URL string
	// Page is the name of a saved file, PageSHA256 its hash in hexadecimal; may be empty.
	Page, PageSHA256 string
}

var (
	// ErrNoPublicPage is returned for an address that nobody else can look at.
	ErrNoPublicPage = errors.New("it is no https address of a public page")
	// ErrNoWitness is returned for a sighting that does not say whose it is.
	ErrNoWitness = errors.New("it is not known who saw it")
	// ErrNoLine is returned for text that does not stand in one line of a file.
	ErrNoLine = errors.New("a name or an id is longer than 500 bytes or holds control characters")
)

// Check returns ErrNoPublicPage, ErrNoWitness, ErrNoLine, or nil.
func (s Observation) Check() error {
	switch {
	case !isPublicPage(s.URL), !model.IsLine(s.URL):
		return ErrNoPublicPage
	case s.Who == "":
		return ErrNoWitness
	case !model.IsLine(s.Who), !model.IsLine(s.Subject):
		return ErrNoLine
	}
	return nil
}

// Shows reports whether it is of the request or of credits of it.
func (s Observation) Shows(r Request) bool {
	if s.Subject == r.ID {
		return true
	}
	seen, ok := ParseSerial(s.Subject)
	for i, serial := range r.Serials() {
		if ok && serial.Overlaps(seen) || r.SerialNumbers[i] == s.Subject {
			return true
		}
	}
	return false
}

// Repeats reports whether the same was recorded that day (UTC) already.
func (s Observation) Repeats(other Observation) bool {
	day := func(at time.Time) time.Time { return at.UTC().Truncate(24 * time.Hour) }
	return s.Subject == other.Subject && s.Who == other.Who && s.URL == other.URL && s.PageSHA256 == other.PageSHA256 && day(s.At).Equal(day(other.At))
}

// String returns the observation in a cell of text.
func (s Observation) String() string {
	text := s.At.UTC().Format(time.RFC3339) + " " + s.Who + " " + s.URL
	if s.PageSHA256 != "" {
		text += " (" + s.Page + " SHA-256 " + s.PageSHA256 + ")"
	}
	return text
}
