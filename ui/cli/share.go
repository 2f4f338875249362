package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/crypto/ssh"

	"tonne/ui/cli/sshd"
)

type shareRun struct {
	*app
	listen, keys, hostKey string
	idle                  time.Duration
	maxSessions           int
	log                   *slog.Logger
}

func (a *app) shareCommand() *cobra.Command {
	s := &shareRun{app: a}
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
		Args: cobra.NoArgs,
		RunE: do(s.run),
	}
	a.connectionFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&s.listen, "listen", ":2222", "`ADDRESS` to listen on")
	f.StringVar(&s.keys, "authorized-keys", "", "public keys of the people, a line each, in `FILE` (default authorized_keys beside the configuration)")
	f.StringVar(&s.hostKey, "host-key", "", "private key of this server in `FILE`, made where it is missing (default share_host_key beside the configuration)")
	f.DurationVar(&s.idle, "idle", sshd.DefaultLimits().Idle, "how long a session lives without a key")
	f.IntVar(&s.maxSessions, "max-sessions", sshd.DefaultLimits().Sessions, "how many sessions there may be at once")
	return a.describe(cmd, description{effect: writesLocal})
}

func (s *shareRun) run(ctx context.Context, _ *cobra.Command, _ []string) error {
	s.terminal.patient.Store(true)
	if s.idle <= 0 || s.maxSessions <= 0 {
		return usage("give more than nothing, or leave them out", "--idle and --max-sessions must be more than nothing")
	}
	if err := s.openDebug(); err != nil {
		return err
	}
	s.log = slog.New(slog.NewJSONHandler(s.Stderr, nil))
	keys, err := s.openKeys()
	if err != nil {
		return err
	}
	host, err := s.openHostKey()
	if err != nil {
		return err
	}
	open := newDesks(s)
	defer open.close()
	if err := open.checkAll(keys.People()); err != nil {
		var wrong *profileError
		if errors.As(err, &wrong) {
			wrong.why.what = keys.At(wrong.person, err).Error()
			return wrong.why
		}
		return err
	}
	listener, err := net.Listen("tcp", s.listen)
	if err != nil {
		return failed("choose another --listen, or end what listens there", "%s cannot be listened on", s.listen)
	}
	if _, err := fmt.Fprintf(s.Stdout, "listening on %s\nhost key %s\n%s", listener.Addr(), ssh.FingerprintSHA256(host.PublicKey()), open.said()); err != nil {
		return errors.Join(err, listener.Close())
	}
	if s.Stderr == os.Stderr {
		defer s.hideStderr()()
	}
	server := sshd.New(sshd.Options{Keys: keys, HostKey: host, Serve: open.serve, Check: open.check, Log: s.log, Limits: s.limits(), Now: s.Now})
	return server.Serve(ctx, listener)
}

func (s *shareRun) limits() sshd.Limits {
	l := sshd.DefaultLimits()
	l.Idle, l.Sessions = s.idle, s.maxSessions
	return l
}

func (s *shareRun) openKeys() (*sshd.KeyFile, error) {
	path := s.keys
	if path == "" {
		path = filepath.Join(s.configDir(), "authorized_keys")
	}
	keys, err := sshd.OpenKeys(path)
	var line *sshd.LineError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		first := "cat ~/.ssh/id_ed25519.pub >> " + path
		dir := filepath.Dir(path)
		if _, err := os.Stat(dir); err != nil {
			first = "mkdir -p " + dir + " && " + first
		}
		return nil, usage("put the public key of each person into it, a line each, such as `"+first+"`", "there is no file %s", path)
	case errors.Is(err, sshd.ErrWritable):
		return nil, usage("run: chmod go-w "+path, "%v", err)
	case errors.As(err, &line):
		return nil, usage("correct the line, or put a # before it", "%v", line)
	case err != nil:
		return nil, usage("name a file that can be read with --authorized-keys", "%v", err)
	}
	return keys, nil
}

func (s *shareRun) openHostKey() (ssh.Signer, error) {
	path := s.hostKey
	if path == "" {
		path = filepath.Join(s.configDir(), "share_host_key")
	}
	key, made, err := sshd.HostKey(path)
	switch {
	case errors.Is(err, sshd.ErrReadable):
		return nil, usage("run: chmod 600 "+path, "%v", err)
	case err != nil:
		return nil, failed("name a file for it with --host-key", "%v", err)
	case made:
		s.log.Info("a host key was made", "file", path, "fingerprint", ssh.FingerprintSHA256(key.PublicKey()))
	}
	return key, nil
}
