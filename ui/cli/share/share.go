// Package share is `tonne share`: the dashboard and the commands that read, over SSH.
// The server itself is package ui/cli/sshd.
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
)

type server struct {
	App                   *command.App
	listen, keys, hostKey string
	limits                sshd.Limits
	log                   *slog.Logger
	// runCommand runs a command of a guest.
	runCommand func(context.Context, command.Process) (status int)

	// ctx is that of the shared sessions, which end after those of the people.
	ctx     context.Context
	end     context.CancelFunc
	running sync.WaitGroup

	mu sync.Mutex
	// shared are the shared sessions by the profiles that lines name.
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
		Long: "Opens the dashboard for everybody whose public key stands in a file, over SSH: the\n" +
			"marketplace is polled once for all, and the API key stays on this machine. Each has a\n" +
			"watch list, rules, labels and a ledger of their own. Commands that read work as well:\n" +
			"`ssh -p 2222 desk.example market -o csv`. Nothing else does: there is no shell, no\n" +
			"forwarding, no file of this machine. An authorized_keys line may begin with\n" +
			"profile=\"NAME\", person=\"NAME\", read-only and expiry-time=\"YYYYMMDD\".",
		Example: "  tonne share --listen :2222 --authorized-keys /etc/tonne/authorized_keys\n" +
			"  tonne share --listen 10.0.0.5:2222 --idle 8h --max-sessions 50",
		RunE: command.Do(s.run),
	}
	a.ConnectionFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&s.listen, "listen", ":2222", "`ADDRESS` to listen on")
	f.StringVar(&s.keys, "authorized-keys", "", "public keys of the people, a line each, in `FILE` (default authorized_keys beside the configuration)")
	f.StringVar(&s.hostKey, "host-key", "", "private key of this server in `FILE`, made where it is missing (default share_host_key beside the configuration)")
	f.DurationVar(&s.limits.Idle, "idle", s.limits.Idle, "how long a session lives without a key")
	f.IntVar(&s.limits.Sessions, "max-sessions", s.limits.Sessions, "how many sessions there may be at once")
	return a.Describe(cmd, command.Description{Effect: command.WritesLocal})
}

func (s *server) run(ctx context.Context, _ *cobra.Command, _ []string) error {
	s.App.Terminal.Patient.Store(true)
	if s.limits.Idle <= 0 || s.limits.Sessions <= 0 {
		return command.Usage("give more than nothing, or leave them out", "--idle and --max-sessions must be more than nothing")
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
	if _, err := fmt.Fprintf(s.App.Stdout, "listening on %s\nhost key %s\n%s", listener.Addr(), ssh.FingerprintSHA256(host.PublicKey()), s.summary()); err != nil {
		return errors.Join(err, listener.Close())
	}
	if err := s.App.NotifyReady(); err != nil {
		return errors.Join(err, listener.Close())
	}
	if s.App.Stderr == os.Stderr {
		defer dashboard.HideStderr(s.App)()
	}
	server := sshd.New(sshd.Options{Keys: keys, HostKey: host, Serve: s.serve, Check: s.check, Log: s.log, Limits: s.limits, Now: s.App.Now})
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
		return nil, command.Usage("put the public key of each person into it, a line each, such as `"+first+"`", "there is no file %s", path)
	case errors.Is(err, sshd.ErrWritable):
		return nil, command.Usage("run: chmod go-w "+path, "%v", err)
	case errors.As(err, &line):
		return nil, command.Usage("correct the line, or put a # before it", "%v", line)
	case err != nil:
		return nil, command.Usage("name a file that can be read with --authorized-keys", "%v", err)
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
		s.log.Info("a host key was made", "file", path, "fingerprint", ssh.FingerprintSHA256(key.PublicKey()))
	}
	return key, nil
}
