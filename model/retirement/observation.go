package retirement

import (
	"errors"
	"time"

	"tonne/model"
)

// Observation is an entry that a user saw in a public registry. tonne never reads registries.
type Observation struct {
	// Subject is the id of a retirement request, or a serial number.
	Subject string
	At      time.Time
	// Who is the name that the user gave.
	Who string
	// URL is the address of the page.
	URL string
	// Page is the name of the saved page, PageSHA256 its hash in hexadecimal. Both may be empty.
	Page, PageSHA256 string
}

var (
	// ErrNoPublicPage is returned for an address that is not public.
	ErrNoPublicPage = errors.New("not an https address of a public page")
	// ErrNoWitness is returned for an observation without a name.
	ErrNoWitness = errors.New("the name of the person who saw it is missing")
	// ErrNoLine is returned for text that does not fit on one line of a file.
	ErrNoLine = errors.New("a name or an id is longer than 500 bytes or contains control characters")
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

// Shows reports whether s is about r or about credits of r.
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

// Repeats reports whether other has the same values on the same day (UTC).
func (s Observation) Repeats(other Observation) bool {
	day := func(at time.Time) time.Time { return at.UTC().Truncate(24 * time.Hour) }
	return s.Subject == other.Subject && s.Who == other.Who && s.URL == other.URL && s.PageSHA256 == other.PageSHA256 &&
		day(s.At).Equal(day(other.At))
}

// String returns the observation as text for a cell.
func (s Observation) String() string {
	text := s.At.UTC().Format(time.RFC3339) + " " + s.Who + " " + s.URL
	if s.PageSHA256 != "" {
		text += " (" + s.Page + " SHA-256 " + s.PageSHA256 + ")"
	}
	return text
}
