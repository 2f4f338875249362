package share

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tonne/api"
	"tonne/api/session"
	"tonne/model/advice"
	"tonne/model/file/store"
	"tonne/ui/cli/command"
	"tonne/ui/cli/dashboard"
	"tonne/ui/cli/journal"
	"tonne/ui/cli/sshd"
	"tonne/ui/cli/terminal"
)

// sharedSession is the marketplace of one profile, polled once for all its viewers.
type sharedSession struct {
	*session.SharedSession
	settings *command.Settings
	// App is the command line with the key of the profile.
	App    *command.App
	client *api.Client
	store  *store.Store
	// commands is the client of all commands, so that they share one rate limit.
	commands *api.Client
}

// openAll opens the shared sessions of all people, so that an unusable profile is reported at
// the start. It opens the default profile first, so that its settings have their sources.
func (s *server) openAll(people []sshd.Person, at func(sshd.Person, error) error) error {
	slices.SortFunc(people, func(a, b sshd.Person) int { return strings.Compare(a.Profile, b.Profile) })
	for _, p := range people {
		err := s.check(p)
		if wrong, ok := err.(*command.Failure); ok && p.Profile != "" {
			wrong.What = advice.Plain(at(p, err).Error())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// check opens the shared session of a person, and returns the error. If the line names the
// profile, that is a new *command.Failure.
func (s *server) check(p sshd.Person) error {
	_, err := s.open(p.Profile)
	if err == nil || p.Profile == "" {
		return err
	}
	why := *command.Explain(err)
	why.What = advice.Format("profile=%q cannot be opened: %s", p.Profile, why.What)
	return &why
}

func (s *server) summary() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var text strings.Builder
	for _, profile := range slices.Sorted(maps.Keys(s.shared)) {
		of, lines := s.shared[profile].settings, "profile=\""+profile+"\""
		if profile == "" {
			lines = "the usual desk"
		}
		fmt.Fprintf(&text, "%s shows %s", lines, of.BaseURL)
		if of.ProfileName != "" && profile == "" {
			fmt.Fprintf(&text, ", profile %s (%s)", of.ProfileName, of.ProfileFrom)
		}
		text.WriteString("\n")
	}
	return text.String()
}

func (s *server) open(profile string) (*sharedSession, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if shared := s.shared[profile]; shared != nil {
		return shared, nil
	}
	a, of, err := s.App.ForProfile(profile, "the line", new(terminal.Terminal))
	if err != nil {
		return nil, err
	}
	for _, other := range s.shared {
		if other.settings.ProfileName == of.ProfileName && other.settings.BaseURL == of.BaseURL &&
			other.settings.Key == of.Key {
			s.shared[profile] = other
			return other, nil
		}
	}
	shared, err := s.newSession(a, of)
	if err != nil {
		return nil, err
	}
	s.shared[profile] = shared
	s.running.Go(func() { s.poll(shared) })
	return shared, nil
}

func (s *server) poll(shared *sharedSession) {
	err := shared.Run(s.ctx)
	profile := shared.settings.ProfileName
	if broke, ok := errors.AsType[*session.PanicError](err); ok {
		s.log.Error("a desk broke", "profile", profile, "what", broke.Value, "stack", broke.Stack)
	} else if err != nil {
		s.log.Error("not everything was saved", "profile", profile, "error", err)
	}
	s.mu.Lock()
	maps.DeleteFunc(s.shared, func(_ string, other *sharedSession) bool { return other == shared })
	s.mu.Unlock()
	shared.close()
}

func (o *sharedSession) close() {
	for _, client := range []*api.Client{o.client, o.commands} {
		if client != nil {
			client.Close()
		}
	}
	_ = o.store.Close()
}

func (s *server) newSession(a *command.App, of *command.Settings) (*sharedSession, error) {
	options := a.ClientOptions(of, 0)
	options.Asked = nil
	client, err := api.New(options)
	if err != nil {
		return nil, err
	}
	shared := &sharedSession{settings: of, App: a, client: client}
	options.Retries = command.Retries
	if shared.commands, err = api.New(options); err == nil {
		shared.store, err = s.storeIn("desks", "profile-"+url.PathEscape(of.ProfileName))
	}
	if err != nil {
		shared.close()
		return nil, err
	}
	shared.SharedSession = session.NewShared(dashboard.TunedCollector{Client: client}, session.Options{
		Origin: string(of.BaseURL), KeyMark: journal.Account(of).KeyMark, Store: shared.store, Portfolio: true,
		Now: s.App.Now, Log: a.Log(), Trouble: func(err error) { s.logService(a, of, err) },
	})
	return shared, nil
}

func (s *server) logService(a *command.App, of *command.Settings, err error) {
	about := []any{"profile", of.ProfileName, "service", string(of.BaseURL)}
	if err == nil {
		s.log.Info("the service sends the market again", about...)
		return
	}
	f := command.Explain(err)
	s.log.Error("the service sends no market", append(about, "error", a.Redact(f.Error()), "advice", f.Next().String())...)
}

func (s *server) storeIn(kind, name string) (*store.Store, error) {
	dir := filepath.Join(s.App.StateDir(), "share", kind, name)
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = os.Chmod(dir, 0o700)
	}
	if err != nil {
		return nil, err
	}
	return store.Open(filepath.Join(dir, "tonne.db")), nil
}

func (s *server) storeOf(p sshd.Person) (own *store.Store, err error) {
	if own = store.Open(""); !p.ReadOnly {
		own, err = s.storeIn("people", p.ID)
	}
	if err != nil {
		return nil, err
	}
	return own.Bound(session.MostRequests), nil
}

func (s *server) close() {
	s.end()
	s.running.Wait()
}
