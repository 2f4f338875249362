package model

import (
	"errors"
	"time"
)

// RegistryObservation says that a person saw a retirement in the public registry. tonne
// never looks by itself: it is evidence beside what the service says.
type RegistryObservation struct {
	// Subject is the id of a retirement request, or a serial number.
	Subject string
	At      time.Time
	// Who is the person, as they call themselves.
	Who string
	// URL is the address that they saw it at.
	URL string
	// Page is the name of a file that they saved of it, PageSHA256 the hash of
	// its content in hexadecimal; both are empty for none.
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

// Check returns why a sighting cannot be kept: ErrNoPublicPage, ErrNoWitness or
// ErrNoLine.
func (s RegistryObservation) Check() error {
	switch {
	case !isPublicPage(s.URL), !isLine(s.URL):
		return ErrNoPublicPage
	case s.Who == "":
		return ErrNoWitness
	case !isLine(s.Who), !isLine(s.Subject):
		return ErrNoLine
	}
	return nil
}

// Shows reports whether the sighting is of the request or of a serial number
// that holds credits of it.
func (s RegistryObservation) Shows(r Retirement) bool {
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

// Repeats reports whether the same person recorded the same of the same page
// that day (UTC) already.
func (s RegistryObservation) Repeats(other RegistryObservation) bool {
	day := func(at time.Time) time.Time { return at.UTC().Truncate(24 * time.Hour) }
	return s.Subject == other.Subject && s.Who == other.Who && s.URL == other.URL && s.PageSHA256 == other.PageSHA256 && day(s.At).Equal(day(other.At))
}

// String returns the observation in a cell of text.
func (s RegistryObservation) String() string {
	text := s.At.UTC().Format(time.RFC3339) + " " + s.Who + " " + s.URL
	if s.PageSHA256 != "" {
		text += " (" + s.Page + " SHA-256 " + s.PageSHA256 + ")"
	}
	return text
}
