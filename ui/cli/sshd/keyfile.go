package sshd

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// KeyFile is an authorized_keys file in OpenSSH's format. It may change while in use.
type KeyFile struct {
	path string

	mu   sync.Mutex
	text []byte
	// people are the valid lines by fingerprint.
	people map[string]Person
	// seen is the text of the last Reload. A change applies only after it has been read
	// twice, because an editor may still be writing.
	seen []byte
}

// LineError reports an invalid line.
type LineError struct {
	Path string
	Line int
	Err  error
}

// Error returns the file, the line number and the problem.
func (e *LineError) Error() string { return fmt.Sprintf("%s, line %d: %v", e.Path, e.Line, e.Err) }

// ErrWritable is returned for a file that users other than its owner may write to.
var ErrWritable = errors.New("writable by users other than its owner")

// OpenKeys reads the file at path. It returns a *LineError for the first invalid line.
func OpenKeys(path string) (*KeyFile, error) {
	f := &KeyFile{path: path}
	text, err := f.read()
	if err != nil {
		return nil, err
	}
	people, problems := f.parse(text)
	if len(problems) > 0 {
		return nil, problems[0]
	}
	f.text, f.seen, f.people = text, text, people
	return f, nil
}

func (f *KeyFile) read() ([]byte, error) {
	text, err := readProtected(f.path, 0o022, ErrWritable)
	// Some editors write a byte order mark.
	return bytes.TrimPrefix(text, []byte("\ufeff")), err
}

func (f *KeyFile) parse(text []byte) (people map[string]Person, problems []error) {
	people = make(map[string]Person)
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		p, err := parsePerson(line)
		if first, twice := people[p.Fingerprint]; err == nil && twice {
			err = fmt.Errorf("same key as line %d", first.Line)
		}
		p.Line = number
		if err != nil {
			problems = append(problems, f.At(p, err))
			continue
		}
		people[p.Fingerprint] = p
	}
	return people, problems
}

// At returns err as a *LineError for the line of p.
func (f *KeyFile) At(p Person, err error) error { return &LineError{f.path, p.Line, err} }

// Find returns the person of a key, and false if the key is unknown or has expired.
func (f *KeyFile) Find(fingerprint string, now time.Time) (Person, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p, known := f.people[fingerprint]
	return p, known && !p.expired(now)
}

// People returns all people of the file, in undefined order.
func (f *KeyFile) People() []Person {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Collect(maps.Values(f.people))
}

// Reload reads the file again. A change applies once two reads in a row agree. It returns
// the problems of invalid lines, or of the file.
func (f *KeyFile) Reload() (changed bool, problems []error) {
	text, err := f.read()
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		text = nil
	}
	settled := bytes.Equal(text, f.seen)
	f.seen = text
	if !settled || bytes.Equal(text, f.text) {
		return false, nil
	}
	f.text = text
	f.people, problems = f.parse(text)
	if err != nil {
		problems = append(problems, err)
	}
	return true, problems
}
