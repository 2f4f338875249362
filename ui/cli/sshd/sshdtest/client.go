package sshdtest

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

// Key returns a new key.
func Key(t testing.TB) ed25519.PrivateKey {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// Line returns a line of an authorized_keys file.
func Line(options string, key ssh.Signer, comment string) string {
	text := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key.PublicKey())))
	return strings.TrimSpace(options+" "+text+" "+comment) + "\n"
}

// Eventually waits until done returns true.
func Eventually(t testing.TB, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("timeout: " + what)
		}
	}
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

// Await waits until a line contains all parts.
func (b *Buffer) Await(t testing.TB, parts ...string) {
	t.Helper()
	Eventually(t, fmt.Sprintf("no line with %q", parts), func() bool {
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
	})
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
