package command

import (
	"cmp"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/user"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"tonne/ui/cli/credentials"
	"tonne/ui/cli/terminal"
	"tonne/ui/style"
)

// Accessible reports whether the user has a screen reader: ACCESSIBLE is set.
func (p Process) Accessible() bool { return p.Getenv("ACCESSIBLE") != "" }

// IsDumb reports whether the terminal cannot position text.
func (p Process) IsDumb() bool { return p.Getenv("TERM") == "dumb" }

// Process is the environment of a run: arguments, streams, variables and services of the system.
type Process struct {
	// Args are the arguments after the program's name.
	Args           []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// ascii reports that the locale has only ASCII.
	ascii  bool
	Getenv func(string) string
	Now    func() time.Time
	// Keyring stores API keys. It is nil on a machine without a keyring.
	Keyring credentials.Keyring
	// Transport sends the requests. The default is the network.
	Transport http.RoundTripper
	// Guest is the SSH user who runs the command, or nil for a local run.
	Guest *Guest
	// Agent is the client of `tonne mcp` that runs the command, or nil.
	Agent *Agent
}

// Styled reports whether a stream is a terminal that may show colours.
func (p Process) Styled(stream any) bool {
	return terminal.IsTerminal(stream) && p.Getenv("NO_COLOR") == "" && !p.IsDumb() && !p.Accessible()
}

// UserName returns the name of the user, or "" if it is unknown.
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

// MadeBy returns the name of the user for the journal.
func (p Process) MadeBy() string { return cmp.Or(p.UserName(), "uid "+strconv.Itoa(os.Getuid())) }

// Build is the version of the program.
type Build struct {
	Version, Commit, Date string
	Modified              bool
}

// release is set by the linker in released programs.
var release string

// BuildVersion returns the version of the program.
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

// Listen listens on the TCP address of --listen.
func Listen(address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, Failed("choose another --listen, or stop the program that uses the address", "cannot listen on %s",
			address)
	}
	return listener, nil
}

// NotifyReady tells systemd that a service accepts requests (Type=notify; sd_notify(3)).
func (p Process) NotifyReady() error {
	socket := p.Getenv("NOTIFY_SOCKET")
	if socket == "" {
		return nil
	}
	conn, err := net.Dial("unixgram", socket)
	if err != nil {
		return Failed("unset NOTIFY_SOCKET, or start it with systemd", "systemd cannot be notified: %v", err)
	}
	_, err = io.WriteString(conn, "READY=1")
	return errors.Join(err, conn.Close())
}

// TextOut returns standard output for text that is not data.
func (p Process) TextOut() io.Writer {
	if p.ascii {
		return style.TextWriter{Writer: p.Stdout}
	}
	return p.Stdout
}
