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

// KeyFile is an authorized_keys file in OpenSSH's format, which may change while it is used.
type KeyFile struct {
	path string

	mu   sync.Mutex
	text []byte
	// people are those whom the file lets in, by the fingerprints of their keys.
	people map[string]Person
	// seen is what the last Reload read. It counts when it is read twice, because
	// an editor may not be done.
	seen []byte
}

// LineError is an invalid line.
type LineError struct {
	Path string
	Line int
	Err  error
}

// Error names the line and says what is wrong with it.
func (e *LineError) Error() string { return fmt.Sprintf("%s, line %d: %v", e.Path, e.Line, e.Err) }

// ErrWritable is returned for a file that others than its owner may write to.
var ErrWritable = errors.New("others than its owner may write to it")

// OpenKeys reads a file. The error is a *LineError for the first invalid line.
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
			err = fmt.Errorf("it has the key of line %d", first.Line)
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

// At returns an error in the line of a person, as a *LineError.
func (f *KeyFile) At(p Person, err error) error { return &LineError{f.path, p.Line, err} }

// Find returns the person of a key, and false if there is none or it has expired.
func (f *KeyFile) Find(fingerprint string, now time.Time) (Person, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p, known := f.people[fingerprint]
	return p, known && !p.expired(now)
}

// People returns everyone in the file, in no order.
func (f *KeyFile) People() []Person {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Collect(maps.Values(f.people))
}

// Reload reads the file again. A change counts when it is read twice. The problems say
// which lines let in no one, or why the file does not.
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
