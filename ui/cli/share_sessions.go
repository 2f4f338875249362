package cli

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
	"tonne/model/store"
	"tonne/ui/cli/sshd"
)

// sharedSession is the marketplace of one profile, which is polled once for all
// who look at it.
type sharedSession struct {
	*session.Desk
	settings *settings
	// app is the command line of the profile: it has the key.
	app    *app
	client *api.Client
	store  *store.Store
	// commands is the client of all commands, so that together they keep to the
	// pace of the service.
	commands *api.Client
}

// openAll opens the shared sessions of people, so that a profile that cannot be
// used is reported at the start. The usual profile comes first: it knows how it
// was chosen.
func (s *shareServer) openAll(people []sshd.Person, at func(sshd.Person, error) error) error {
	slices.SortFunc(people, func(a, b sshd.Person) int { return strings.Compare(a.Profile, b.Profile) })
	for _, p := range people {
		err := s.check(p)
		if wrong, ok := err.(*failure); ok && p.Profile != "" {
			wrong.what = at(p, err).Error()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// check returns why the shared session of a person cannot be opened: a *failure of
// its own if the line names the profile.
func (s *shareServer) check(p sshd.Person) error {
	_, err := s.open(p.Profile)
	if err == nil || p.Profile == "" {
		return err
	}
	why := *explain(ran{err})
	why.what = fmt.Sprintf("profile=%q is not opened: %s", p.Profile, why.what)
	return &why
}

func (s *shareServer) summary() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var text strings.Builder
	for _, profile := range slices.Sorted(maps.Keys(s.shared)) {
		of, lines := s.shared[profile].settings, "profile=\""+profile+"\""
		if profile == "" {
			lines = "the usual desk"
		}
		fmt.Fprintf(&text, "%s shows %s", lines, of.baseURL)
		if of.profileName != "" && profile == "" {
			fmt.Fprintf(&text, ", profile %s (%s)", of.profileName, of.profileFrom)
		}
		text.WriteString("\n")
	}
	return text.String()
}

func (s *shareServer) open(profile string) (*sharedSession, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if shared := s.shared[profile]; shared != nil {
		return shared, nil
	}
	a, of, err := s.connection(profile)
	if err != nil {
		return nil, err
	}
	for _, other := range s.shared {
		if other.settings.profileName == of.profileName && other.settings.baseURL == of.baseURL && other.settings.key == of.key {
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

func (s *shareServer) poll(shared *sharedSession) {
	err := shared.Run(s.ctx)
	profile := shared.settings.profileName
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

// close releases what was opened, even if the session was not opened completely.
func (o *sharedSession) close() {
	for _, client := range []*api.Client{o.client, o.commands} {
		if client != nil {
			client.Close()
		}
	}
	_ = o.store.Close()
}

// connection returns the settings of a profile. The flags and variables for address
// and key apply to the usual profile only: those of others are stored.
func (s *shareServer) connection(profile string) (*app, *settings, error) {
	a := &app{Process: s.Process, terminal: new(terminal)}
	if s.file != nil {
		a.logTo(s.file)
	}
	a.flags = make(map[string]string)
	maps.Copy(a.flags, s.flags)
	if profile != "" {
		a.flags["profile"], a.flags["base_url"], a.profileFrom = profile, "", "the line"
		outside := a.Getenv
		a.Getenv = func(name string) string {
			if name == "TONNE_BASE_URL" || name == "TONNE_API_KEY" {
				return ""
			}
			return outside(name)
		}
	}
	of, err := a.withKey()
	if err != nil {
		return nil, nil, err
	}
	if profile != "" && of.borrowed {
		return nil, nil, notConfigured("run `tonne auth login --profile "+profile+"`", "the profile "+profile+" has no API key of its own")
	}
	return a, of, nil
}

func (s *shareServer) newSession(a *app, of *settings) (*sharedSession, error) {
	options := a.clientOptions(of, 0)
	options.Asked = nil
	client, err := api.New(options)
	if err != nil {
		return nil, err
	}
	shared := &sharedSession{settings: of, app: a, client: client}
	options.Retries = retries
	if shared.commands, err = api.New(options); err == nil {
		shared.store, err = s.storeIn("desks", "profile-"+url.PathEscape(of.profileName))
	}
	if err != nil {
		shared.close()
		return nil, err
	}
	shared.Desk = session.NewDesk(tunedCollector{client}, session.Options{
		Origin: string(of.baseURL), KeyMark: a.account(of).KeyMark, Store: shared.store, Now: s.Now, Log: a.log(), Trouble: func(err error) { s.logService(a, of, err) },
	})
	return shared, nil
}

func (s *shareServer) logService(a *app, of *settings, err error) {
	about := []any{"profile", of.profileName, "service", string(of.baseURL)}
	if err == nil {
		s.log.Info("the service sends the market again", about...)
		return
	}
	f := explain(err)
	s.log.Error("the service sends no market", append(about, "error", a.redact(f.what), "advice", f.next())...)
}

func (s *shareServer) storeIn(kind, name string) (*store.Store, error) {
	dir := filepath.Join(s.stateDir(), "share", kind, name)
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = os.Chmod(dir, 0o700)
	}
	if err != nil {
		return nil, err
	}
	return store.Open(filepath.Join(dir, "tonne.db")), nil
}

// storeOf returns the bounded store of a person, in memory if nothing is saved.
func (s *shareServer) storeOf(p sshd.Person) (own *store.Store, err error) {
	if own = store.Open(""); !p.ReadOnly {
		own, err = s.storeIn("people", p.ID)
	}
	if err != nil {
		return nil, err
	}
	return own.Bound(session.MostRequests), nil
}

// close ends the shared sessions, and waits for them.
func (s *shareServer) close() {
	s.end()
	s.running.Wait()
}
