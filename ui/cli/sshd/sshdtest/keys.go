package sshdtest

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/ssh"
)

// NewKey returns a new key, and the file of its private key in the format of OpenSSH.
func NewKey(t testing.TB) (key ssh.Signer, file []byte) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if key, err = ssh.NewSignerFromKey(private); err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "test")
	if err != nil {
		t.Fatal(err)
	}
	return key, pem.EncodeToMemory(block)
}

// Line returns a line of an authorized_keys file.
func Line(options string, key ssh.Signer, comment string) string {
	text := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key.PublicKey())))
	return strings.TrimSpace(options+" "+text+" "+comment) + "\n"
}

// Buffer is a buffer for concurrent use, such as for a log.
type Buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write appends to the buffer.
func (b *Buffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(text)
}

// String returns what was written.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// Size returns how much was written.
func (b *Buffer) Size() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Len()
}

// ContainsAfter reports whether a text was written after the first bytes.
func (b *Buffer) ContainsAfter(from int, text string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Contains(b.text.Bytes()[from:], []byte(text))
}

// HasLine reports whether a line contains all parts.
func (b *Buffer) HasLine(parts ...string) bool {
	for line := range strings.Lines(b.String()) {
		all := true
		for _, part := range parts {
			all = all && strings.Contains(line, part)
		}
		if all {
			return true
		}
	}
	return false
}

// Run runs a command in a new session.
func Run(t testing.TB, c *ssh.Client, command, stdin string) (status int, stdout, stderr string) {
	t.Helper()
	s, err := c.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	var out, errs bytes.Buffer
	s.Stdin, s.Stdout, s.Stderr = strings.NewReader(stdin), &out, &errs
	err = s.Run(command)
	if exit, failed := errors.AsType[*ssh.ExitError](err); failed {
		return exit.ExitStatus(), out.String(), errs.String()
	}
	if err != nil && err != io.EOF { // io.EOF if the command ends before it has read its input.
		t.Fatalf("%s: %v", command, err)
	}
	return 0, out.String(), errs.String()
}
