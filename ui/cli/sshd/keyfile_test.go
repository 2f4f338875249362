package sshd

import (
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	must "tonne/model/musttest"
)

func TestParsePerson(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	fingerprint := ssh.FingerprintSHA256(key.PublicKey())
	for options, check := range map[string]func(p Person) bool{
		"": func(p Person) bool {
			return p.Name == "ada" && strings.HasPrefix(p.ID, "key-") && len(p.ID) == 68
		},
		"restrict":                   func(p Person) bool { return !p.ReadOnly },
		"no-pty":                     func(p Person) bool { return p.CommandsOnly },
		"restrict,no-pty,no-user-rc": func(p Person) bool { return p.CommandsOnly },
		"read-only":                  func(p Person) bool { return p.ReadOnly },
		`profile="prod"`:             func(p Person) bool { return p.Profile == "prod" },
		`profile="a b",read-only`:    func(p Person) bool { return p.Profile == "a b" && p.ReadOnly },
		`person="ada"`: func(p Person) bool {
			return p.ID == "person-ada" && p.Name == "ada" && p.Key == "ada"
		},
		`person="ben"`: func(p Person) bool {
			return p.ID == "person-ben" && p.Name == "ben" && p.Key == "ada"
		},
		`expiry-time="20301231"`: func(p Person) bool {
			return p.Expires.Equal(time.Date(2030, 12, 31, 0, 0, 0, 0, time.Local))
		},
		`expiry-time="203012312359Z"`: func(p Person) bool {
			return p.Expires.Equal(time.Date(2030, 12, 31, 23, 59, 0, 0, time.UTC))
		},
		`Restrict,no-agent-forwarding,no-X11-forwarding,no-port-forwarding`: func(p Person) bool { return p.Name == "ada" },
	} {
		p, err := parsePerson(strings.TrimSpace(line(options, key, "ada")))
		must.Hold(t, err == nil && p.Fingerprint == fingerprint && check(p), options, p, err)
	}
	p, err := parsePerson(strings.TrimSpace(line("", key, "")))
	must.Hold(t, err == nil && p.Name == fingerprint, "without a comment", p, err)
	p, err = parsePerson(strings.TrimSpace(line("", key, "a\x1b]0;x\x07\u202eb")))
	must.Hold(t, err == nil && p.Name == "a]0;xb", "with a hostile comment", p.Name, err)
}

func TestOpenKeysChecksTheFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "authorized_keys")
	writeKeys(t, path, "\ufeff", line("", newKey(t), "ada"))
	keys, err := OpenKeys(path)
	must.Hold(t, err == nil && len(keys.people) == 1, "with a byte order mark", keys, err)
	must.Succeed(t, os.Chmod(path, 0o620))
	must.Fail(t, must.Err(OpenKeys(path)), ErrWritable)
}

func TestOpenKeysReportsInvalidLine(t *testing.T) {
	t.Parallel()
	key, good := newKey(t), line("", newKey(t), "ben")
	weak := must.Get(ssh.NewSignerFromKey(must.Get(rsa.GenerateKey(rand.Reader, 1024))))
	for name, bad := range map[string]string{
		"an unknown option": line(`command="sh"`, key, ""),
		"from":              line(`from="10.0.0.0/8"`, key, ""),
		"permitopen":        line(`permitopen="a:1"`, key, ""),
		"no-touch-required": line("no-touch-required", key, ""),
		"cert-authority":    line("cert-authority", key, ""),
		"an empty profile":  line(`profile=""`, key, ""),
		"profile, no value": line("profile", key, ""),
		"a path as person":  line(`person="../x"`, key, ""),
		"a bad time":        line(`expiry-time="20301301"`, key, ""),
		"a truncated time":  line(`expiry-time="2030123"`, key, ""),
		"the same option":   line("read-only,READ-ONLY", key, ""),
		"two profiles":      line(`profile="a",profile="b"`, key, ""),
		"two persons":       line(`person="a",Person="b"`, key, ""),
		"an invalid key":    "ssh-ed25519 AAAA ada\n",
		"plain text":        "hello\n",
		"an unclosed quote": line(`profile="a`, key, ""),
		"a short RSA key":   line("", weak, ""),
		"the same key":      good,
	} {
		path := filepath.Join(t.TempDir(), "authorized_keys")
		writeKeys(t, path, "# people\n", "\n", good, bad)
		_, err := OpenKeys(path)
		var wrong *LineError
		must.Hold(t, errors.As(err, &wrong) && wrong.Line == 4 && strings.HasPrefix(err.Error(), path+", line 4: "),
			name, err)
	}
}

func TestReloadAppliesChangeOnSecondRead(t *testing.T) {
	t.Parallel()
	ada, ben := newKey(t), newKey(t)
	path := filepath.Join(t.TempDir(), "authorized_keys")
	writeKeys(t, path, line("", ada, "ada"))
	f, now := must.Get(OpenKeys(path)), time.Now()
	in := func(key ssh.Signer) bool {
		_, known := f.Find(ssh.FingerprintSHA256(key.PublicKey()), now)
		return known
	}
	reload := func(want bool, problems int) {
		t.Helper()
		changed, wrong := f.Reload()
		must.Hold(t, changed == want && len(wrong) == problems, "changed", changed, "problems", wrong)
	}
	reload(false, 0)
	writeKeys(t, path) // an editor is still writing
	reload(false, 0)
	must.Hold(t, in(ada), "an incomplete change removes Ada")
	writeKeys(t, path, line(`command="sh"`, ada, "ada"), line("", ben, "ben"))
	reload(false, 0)
	reload(true, 1)
	must.Hold(t, !in(ada) && in(ben), "Ada is admitted", in(ada), "Ben is admitted", in(ben))
	must.Succeed(t, os.Remove(path))
	reload(false, 0)
	reload(true, 1)
	reload(false, 0)
	must.Hold(t, !in(ben), "Ben is admitted after the file was deleted")
}

func TestHostKeyIsCreatedOnceWithOwnerPermissions(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "host_key")
	first, made, err := HostKey(path)
	must.Need(t, err == nil && made, "created", made, err)
	info, err := os.Stat(path)
	must.Hold(t, err == nil && info.Mode().Perm() == 0o600, info, err)
	again, made, err := HostKey(path)
	must.Hold(t,
		err == nil && !made && ssh.FingerprintSHA256(first.PublicKey()) == ssh.FingerprintSHA256(again.PublicKey()),
		"created again", made, err)
	must.Succeed(t, os.Chmod(path, 0o640))
	_, _, err = HostKey(path)
	must.Fail(t, err, ErrReadable, "mode 0640")
	must.Succeed(t, os.Chmod(path, 0o600), os.WriteFile(path, []byte("x"), 0o600))
	_, _, err = HostKey(path)
	must.Hold(t, err != nil, "a file without a key is accepted")
}
