// Package share implements the command `tonne share`, which serves the dashboard and the
// reading commands over SSH. One shared session per profile polls the marketplace for all
// its users. The SSH server is package ui/cli/sshd. The rules for guests are in
// ui/cli/command/guest.go for commands, and in ui/remote.go for keys. Start reading at
// Command.
package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/crypto/ssh"

	"tonne/ui/cli/command"
	"tonne/ui/cli/dashboard"
	"tonne/ui/cli/sshd"
	"tonne/ui/cli/terminal"
)

type server struct {
	App                   *command.App
	listen, keys, hostKey string
	limits                sshd.Limits
	log                   *slog.Logger
	// runCommand runs a command of a guest.
	runCommand func(context.Context, command.Process) (status int)

	// ctx is the context of the shared sessions, which end after the sessions of the users.
	ctx     context.Context
	end     context.CancelFunc
	running sync.WaitGroup

	mu sync.Mutex
	// shared are the shared sessions by profile name.
	shared map[string]*sharedSession
}

func newServer(a *command.App, run func(context.Context, command.Process) int) *server {
	s := &server{App: a, runCommand: run, limits: sshd.DefaultLimits(), shared: make(map[string]*sharedSession)}
	s.ctx, s.end = context.WithCancel(context.Background())
	return s
}

// Command returns `tonne share`. run runs a guest's command and returns its exit status.
func Command(a *command.App, run func(context.Context, command.Process) int) *cobra.Command {
	s := newServer(a, run)
	cmd := &cobra.Command{
		Use:   "share",
		Short: "Serve the dashboard over SSH to the people in an authorized_keys file",
		Long: "Serves the dashboard over SSH for everyone listed in an authorized_keys file. The\n" +
			"marketplace is polled once for all users, and the API key stays on this machine. Each\n" +
			"user has a separate watch list, rules, labels and ledger. Commands that only read work\n" +
			"too: `ssh -p 2222 desk.example market -o csv`. Nothing else is allowed: no shell, no\n" +
			"forwarding, no access to files of this machine. A line of authorized_keys may begin with\n" +
			"the options profile=\"NAME\", person=\"NAME\", read-only and expiry-time=\"YYYYMMDD\".",
		Example: "  tonne share --listen :2222 --authorized-keys /etc/tonne/authorized_keys\n" +
			"  tonne share --listen 10.0.0.5:2222 --idle 8h --max-sessions 50",
		RunE: command.Do(s.run),
	}
	a.ConnectionFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&s.listen, "listen", ":2222", "`ADDRESS` to listen on")
	f.StringVar(&s.keys, "authorized-keys", "",
		"`FILE` with the users' public keys, one per line (default authorized_keys next to the configuration)")
	f.StringVar(&s.hostKey, "host-key", "",
		"`FILE` with the private key of this server, created if missing (default share_host_key next to the configuration)")
	f.DurationVar(&s.limits.Idle, "idle", s.limits.Idle, "disconnect a session after this time without a keypress")
	f.IntVar(&s.limits.Sessions, "max-sessions", s.limits.Sessions, "maximum number of simultaneous sessions")
	return a.Describe(cmd, command.Description{Effect: command.WritesLocal})
}

func (s *server) run(ctx context.Context, _ *cobra.Command, _ []string) error {
	s.App.Terminal.Patient.Store(true)
	if s.limits.Idle <= 0 || s.limits.Sessions <= 0 {
		return command.Usage("give values above 0, or leave them out", "--idle and --max-sessions must be above 0")
	}
	if err := s.App.OpenDebug(); err != nil {
		return err
	}
	s.log = slog.New(slog.NewJSONHandler(s.App.Stderr, nil))
	keys, err := s.openKeys()
	if err != nil {
		return err
	}
	host, err := s.openHostKey()
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.openAll(keys.People(), keys.At); err != nil {
		return err
	}
	listener, err := command.Listen(s.listen)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(s.App.Stdout, "listening on %s\nhost key %s\n%s", listener.Addr(),
		ssh.FingerprintSHA256(host.PublicKey()), s.summary()); err != nil {
		return errors.Join(err, listener.Close())
	}
	if err := s.App.NotifyReady(); err != nil {
		return errors.Join(err, listener.Close())
	}
	if terminal.Stream(s.App.Stderr) == os.Stderr {
		defer dashboard.HideStderr(s.App)()
	}
	server := sshd.New(sshd.Options{Keys: keys, HostKey: host, Serve: s.serve, Check: s.check, Log: s.log,
		Limits: s.limits, Now: s.App.Now})
	return server.Serve(ctx, listener)
}

func (s *server) openKeys() (*sshd.KeyFile, error) {
	path := cmp.Or(s.keys, filepath.Join(s.App.ConfigDir(), "authorized_keys"))
	keys, err := sshd.OpenKeys(path)
	var line *sshd.LineError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		first := "cat ~/.ssh/id_ed25519.pub >> " + path
		dir := filepath.Dir(path)
		if _, err := os.Stat(dir); err != nil {
			first = "mkdir -p " + dir + " && " + first
		}
		return nil, command.Usage("add the public key of each user, one per line, such as `"+first+"`", "%s does not exist",
			path)
	case errors.Is(err, sshd.ErrWritable):
		return nil, command.Usage("run: chmod go-w "+path, "%v", err)
	case errors.As(err, &line):
		return nil, command.Usage("correct the line, or put a # before it", "%v", line)
	case err != nil:
		return nil, command.Usage("name a readable file with --authorized-keys", "%v", err)
	}
	return keys, nil
}

func (s *server) openHostKey() (ssh.Signer, error) {
	path := cmp.Or(s.hostKey, filepath.Join(s.App.ConfigDir(), "share_host_key"))
	key, made, err := sshd.HostKey(path)
	switch {
	case errors.Is(err, sshd.ErrReadable):
		return nil, command.Usage("run: chmod 600 "+path, "%v", err)
	case err != nil:
		return nil, command.Failed("name a file for it with --host-key", "%v", err)
	case made:
		s.log.Info("created a host key", "file", path, "fingerprint", ssh.FingerprintSHA256(key.PublicKey()))
	}
	return key, nil
}
