package api

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestOfSeveralThatSaveACertificateOneWins(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const writers = 8
	done := make(chan []byte, writers)
	for n := range writers {
		content := append([]byte("%PDF-1.7 "), byte('a'+n))
		go func() {
			if err := saveCertificate(dir, "r.pdf", content); err != nil {
				if !errors.Is(err, fs.ErrExist) {
					t.Errorf("error is %v", err)
				}
				content = nil
			}
			done <- content
		}()
	}
	var saved [][]byte
	for range writers {
		if content := <-done; content != nil {
			saved = append(saved, content)
		}
	}
	there, err := os.ReadFile(filepath.Join(dir, "r.pdf"))
	if len(saved) != 1 || err != nil || !bytes.Equal(there, saved[0]) {
		t.Errorf("%q say that they were saved, the file holds %q (%v)", saved, there, err)
	}
}
