package command

import (
	"cmp"
	"io"
	"net/http"
	"os"
	"os/user"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"tonne/ui/cli/credentials"
	"tonne/ui/cli/terminal"
)

// Accessible reports whether the person uses a screen reader: ACCESSIBLE is set.
func (p Process) Accessible() bool { return p.Getenv("ACCESSIBLE") != "" }

// IsDumb reports whether the terminal cannot place text.
func (p Process) IsDumb() bool { return p.Getenv("TERM") == "dumb" }

// Process is what the commands have of the world around them.
type Process struct {
	// Args are the arguments behind the program's name.
	Args           []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Now            func() time.Time
	// Keyring keeps API keys; nil stands for a machine without one.
	Keyring credentials.Keyring
	// Transport makes the requests; nil is the network.
	Transport http.RoundTripper
	// Guest is who runs the command from another machine; nil for nobody.
	Guest *Guest
}

// Styled reports whether a stream is a terminal that may show colours.
func (p Process) Styled(stream any) bool {
	return terminal.IsTerminal(stream) && p.Getenv("NO_COLOR") == "" && !p.IsDumb() && !p.Accessible()
}

// UserName returns who runs the program, as far as that is known.
func (p Process) UserName() string {
	for _, name := range []string{"LOGNAME", "USER", "USERNAME"} {
		if user := strings.TrimSpace(p.Getenv(name)); user != "" {
			return user
		}
	}
	u, err := user.Current()
	if err != nil || p.Guest != nil {
		return ""
	}
	return u.Username
}

// MadeBy names who runs the program, for the journal.
func (p Process) MadeBy() string { return cmp.Or(p.UserName(), "uid "+strconv.Itoa(os.Getuid())) }

// Build says which tonne this is.
type Build struct {
	Version, Commit, Date string
	Modified              bool
}

// release is set by the linker in released programs.
var release string

// BuildVersion returns which tonne this is.
func BuildVersion() Build {
	b := Build{Version: cmp.Or(release, "devel")}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; release == "" && v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}
