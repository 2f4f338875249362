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

	"golang.org/x/crypto/ssh"
)

// KeyFile is an authorized_keys file in OpenSSH's format, which may change while
// it is used. Its methods may be called from any goroutine.
type KeyFile struct {
	path string

	mu     sync.Mutex
	text   []byte
	people map[string]Person
	// lines are where people stand, by the fingerprints of their keys.
	lines map[string]int
	// seen is what the last Reload read, which counts once it is read twice: an
	// editor may be half way through.
	seen []byte
}

// LineError is a line that is not taken.
type LineError struct {
	Path string
	Line int
	Err  error
}

// Error names the line and why it is not taken.
func (e *LineError) Error() string { return fmt.Sprintf("%s, line %d: %v", e.Path, e.Line, e.Err) }

// Unwrap returns why the line is not taken.
func (e *LineError) Unwrap() error { return e.Err }

// ErrWritable is returned for a file that others than its owner may write to.
var ErrWritable = errors.New("others than its owner may write to it")

// OpenKeys reads a file. The error is that of the first line that is not taken,
// a *LineError, or why the file is not read.
func OpenKeys(path string) (*KeyFile, error) {
	f := &KeyFile{path: path}
	text, err := f.read()
	if err != nil {
		return nil, err
	}
	people, lines, problems := f.parse(text)
	if len(problems) > 0 {
		return nil, problems[0]
	}
	f.text, f.seen, f.people, f.lines = text, text, people, lines
	return f, nil
}

func (f *KeyFile) read() ([]byte, error) {
	text, err := readGuarded(f.path, writableByOthers, ErrWritable)
	// Some editors begin a file with the mark of its encoding.
	return bytes.TrimPrefix(text, []byte("\ufeff")), err
}

func (f *KeyFile) parse(text []byte) (people map[string]Person, lines map[string]int, problems []error) {
	people, lines = make(map[string]Person), make(map[string]int)
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, person, err := parsePerson(line)
		if err == nil {
			name := string(key.Marshal())
			if first, twice := lines[person.Fingerprint]; twice {
				err = fmt.Errorf("it has the key of line %d", first)
			} else {
				lines[person.Fingerprint], people[name] = number, person
			}
		}
		if err != nil {
			problems = append(problems, &LineError{f.path, number, err})
		}
	}
	return people, lines, problems
}

// At returns why the line of a person cannot be used, as a *LineError.
func (f *KeyFile) At(p Person, err error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &LineError{f.path, f.lines[p.Fingerprint], err}
}

// Find returns whom a key lets in at a time. Who is not let in is known for an
// expired key: it is that of the person.
func (f *KeyFile) Find(key ssh.PublicKey, now time.Time) (Person, bool) {
	return f.find(string(key.Marshal()), now)
}

func (f *KeyFile) find(key string, now time.Time) (Person, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p, known := f.people[key]
	return p, known && !p.expired(now)
}

// People returns all whom the file lets in, in no order.
func (f *KeyFile) People() []Person {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Collect(maps.Values(f.people))
}

// Reload reads the file again and reports whether it is another one now, which
// counts when it is found twice. A line that is not taken lets in nobody, nor
// does a file that is gone or is not read: problems say why.
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
	f.people, f.lines, problems = f.parse(text)
	if err != nil {
		problems = append(problems, err)
	}
	return true, problems
}
