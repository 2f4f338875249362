package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"tonne/api/session"
	"tonne/model/retirement"
)

// Fetched records the certificates that were fetched for a pack in a directory next to it, so that
// an interrupted pack resumes with them. It may be used from several goroutines.
type Fetched struct {
	dir string
	now func() time.Time

	mu      sync.Mutex
	known   map[string]fetchedJSON
	list    *os.File
	resumed int
}

// fetchedJSON is a line of the list.
type fetchedJSON struct {
	ID        string    `json:"id"`
	URL       string    `json:"url"`
	Path      string    `json:"path"`
	MediaType string    `json:"media_type"`
	Size      int64     `json:"size"`
	SHA256    string    `json:"sha256"`
	FetchedAt time.Time `json:"fetched_at"`
}

const (
	fetchedList = "fetched.jsonl"
	// reusedFor is how long a certificate is not fetched again: later the service may serve another.
	reusedFor = 24 * time.Hour
)

// ErrNotOurs is returned for a directory that other users can change, or something else.
var ErrNotOurs = errors.New("it is not a directory that only you can change")

// OpenFetched opens the directory of a pack, or creates it. The error may be ErrNotOurs.
func OpenFetched(dir string, now func() time.Time) (*Fetched, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return nil, err
	}
	// The permissions of Windows are others.
	if shared := info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows"; !info.IsDir() || shared {
		return nil, &fs.PathError{Op: "use", Path: dir, Err: ErrNotOurs}
	}
	list, err := os.OpenFile(filepath.Join(dir, fetchedList), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	f := &Fetched{dir: dir, now: now, known: make(map[string]fetchedJSON), list: list}
	if err := f.read(); err != nil {
		return nil, errors.Join(err, list.Close())
	}
	return f, nil
}

// read reads the list, and removes the files of the directory that it does not have.
func (f *Fetched) read() error {
	text, err := io.ReadAll(f.list)
	if err != nil {
		return err
	}
	unchanged := map[string]bool{fetchedList: true}
	for line := range bytes.Lines(text) {
		var c fetchedJSON
		if json.Unmarshal(line, &c) == nil && session.VerifyFile(c.Path, c.SHA256) == session.Unchanged {
			f.known[c.ID], unchanged[filepath.Base(c.Path)] = c, true
		}
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		// A crash cut off the last line.
		if _, err := f.list.WriteString("\n"); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(f.dir)
	for _, entry := range entries {
		if !unchanged[entry.Name()] {
			err = errors.Join(err, os.Remove(filepath.Join(f.dir, entry.Name())))
		}
	}
	return err
}

// Dir is the directory.
func (f *Fetched) Dir() string { return f.dir }

// Resumed is the number of certificates that were not fetched again.
func (f *Fetched) Resumed() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.resumed
}

// find returns a certificate that was fetched from the same address and is unchanged.
func (f *Fetched) find(id, url string) (*retirement.Certificate, bool) {
	if f == nil {
		return nil, false
	}
	f.mu.Lock()
	c, known := f.known[id]
	f.mu.Unlock()
	age := f.now().Sub(c.FetchedAt)
	if !known {
		return nil, false
	}
	if c.URL != url || age < 0 || age > reusedFor {
		if filepath.Dir(c.Path) == f.dir {
			_ = os.Remove(c.Path) // the next one may differ
		}
		return nil, false
	}
	f.mu.Lock()
	f.resumed++
	f.mu.Unlock()
	return &retirement.Certificate{Path: c.Path, MediaType: c.MediaType, Size: c.Size, SHA256: c.SHA256,
		FetchedAt: c.FetchedAt}, true
}

func (f *Fetched) add(id, url string, c retirement.Certificate) error {
	if f == nil {
		return nil
	}
	path, err := filepath.Abs(c.Path)
	if err != nil {
		return err
	}
	line, err := json.Marshal(fetchedJSON{id, url, path, c.MediaType, c.Size, c.SHA256, c.FetchedAt})
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	_, err = f.list.Write(append(line, '\n'))
	return err
}

// Close closes the list. It removes the directory if the pack is complete or nothing was fetched.
func (f *Fetched) Close(complete bool) error {
	info, err := f.list.Stat()
	err = errors.Join(err, f.list.Close())
	if complete || err == nil && info.Size() == 0 {
		return errors.Join(err, os.RemoveAll(f.dir))
	}
	return err
}
