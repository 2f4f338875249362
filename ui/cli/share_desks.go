package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"tonne/api"
	"tonne/api/session"
	"tonne/model/store"
	"tonne/ui/cli/sshd"
)

// desks are the desks of a server, one for each profile that somebody has.
type desks struct {
	*shareRun
	// ctx ends with the server.
	ctx     context.Context
	end     context.CancelFunc
	running sync.WaitGroup
	turns   *session.Turns

	mu sync.Mutex
	// open are the desks by what the lines of people call their profiles.
	open map[string]*openDesk
}

// openDesk is the desk of one profile.
type openDesk struct {
	*session.Desk
	settings *settings
	// app is the command line of the profile: it has the key.
	app    *app
	client *api.Client
	store  *store.Store
	// commands is the client of the commands of all, so that together they keep to
	// the pace of the service.
	commands *api.Client
}

func newDesks(s *shareRun) *desks {
	d := &desks{shareRun: s, open: make(map[string]*openDesk), turns: session.NewTurns(0)}
	d.ctx, d.end = context.WithCancel(context.Background())
	return d
}

// checkAll opens the desks of these people, so that a profile that cannot be
// used shows when the server starts. The usual desk comes first: it knows why it
// is of that profile.
func (d *desks) checkAll(people []sshd.Person) error {
	slices.SortFunc(people, func(a, b sshd.Person) int { return strings.Compare(a.Profile, b.Profile) })
	for _, p := range people {
		if err := d.check(p); err != nil {
			return err
		}
	}
	return nil
}

// check returns why the desk of a person cannot be opened: a *profileError where
// the line names its profile.
func (d *desks) check(p sshd.Person) error {
	_, err := d.desk(p.Profile)
	if err == nil || p.Profile == "" {
		return err
	}
	why := *explain(ran{err})
	return &profileError{p, &why}
}

// profileError is why the profile that the line of a person names is not opened.
type profileError struct {
	person sshd.Person
	why    *failure
}

// Error says it with the option as it stands in the line.
func (e *profileError) Error() string {
	return fmt.Sprintf("profile=%q is not opened: %s", e.person.Profile, e.why.what)
}

func (d *desks) said() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var text strings.Builder
	for _, profile := range slices.Sorted(maps.Keys(d.open)) {
		s, lines := d.open[profile].settings, "profile=\""+profile+"\""
		if profile == "" {
			lines = "the usual desk"
		}
		fmt.Fprintf(&text, "%s shows %s", lines, s.baseURL)
		if s.profileName != "" && profile == "" {
			fmt.Fprintf(&text, ", profile %s (%s)", s.profileName, s.profileFrom)
		}
		text.WriteString("\n")
	}
	return text.String()
}

func (d *desks) desk(profile string) (*openDesk, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if open := d.open[profile]; open != nil {
		return open, nil
	}
	a, s, err := d.connection(profile)
	if err != nil {
		return nil, err
	}
	for _, other := range d.open {
		if other.settings.profileName == s.profileName && other.settings.baseURL == s.baseURL && other.settings.key == s.key {
			d.open[profile] = other
			return other, nil
		}
	}
	open, err := d.newDesk(a, s)
	if err != nil {
		return nil, err
	}
	d.open[profile] = open
	d.running.Go(func() { d.run(open) })
	return open, nil
}

func (d *desks) run(open *openDesk) {
	err := open.Desk.Run(d.ctx)
	profile := open.settings.profileName
	var broke *session.PanicError
	if errors.As(err, &broke) {
		d.log.Error("a desk broke", "profile", profile, "what", broke.Value, "stack", broke.Stack)
	} else if err != nil {
		d.log.Error("not everything was saved", "profile", profile, "error", err)
	}
	d.mu.Lock()
	maps.DeleteFunc(d.open, func(_ string, other *openDesk) bool { return other == open })
	d.mu.Unlock()
	open.close()
}

// close lets go of what a desk holds, of one that was not opened to its end too.
func (o *openDesk) close() {
	for _, client := range []*api.Client{o.client, o.commands} {
		if client != nil {
			client.Close()
		}
	}
	_ = o.store.Close()
}

// connection finds the marketplace of a profile, and its key. What a flag and the
// environment say of address and key holds for the usual profile alone: those of
// others are stored.
func (d *desks) connection(profile string) (*app, *settings, error) {
	a := &app{Process: d.Process, terminal: new(terminal)}
	if d.file != nil {
		a.logTo(d.file)
	}
	a.flags = make(map[string]string)
	maps.Copy(a.flags, d.flags)
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
	s, err := a.withKey()
	if err != nil {
		return nil, nil, err
	}
	if profile != "" && s.borrowed {
		return nil, nil, notConfigured("run `tonne auth login --profile "+profile+"`", "the profile "+profile+" has no API key of its own")
	}
	return a, s, nil
}

func (d *desks) newDesk(a *app, s *settings) (*openDesk, error) {
	of := a.clientOptions(s, 0)
	of.Asked = nil
	client, err := api.New(of)
	if err != nil {
		return nil, err
	}
	open := &openDesk{settings: s, app: a, client: client}
	of.Retries = retries
	if open.commands, err = api.New(of); err == nil {
		open.store, err = d.storeIn("desks", "profile-"+url.PathEscape(s.profileName))
	}
	if err != nil {
		open.close()
		return nil, err
	}
	open.Desk = session.NewDesk(tunedCollector{client}, session.Options{
		Origin: string(s.baseURL), KeyMark: a.account(s).KeyMark, Store: open.store, Now: d.Now, Log: a.log(), Trouble: func(err error) { d.logService(a, s, err) },
	})
	return open, nil
}

func (d *desks) logService(a *app, s *settings, err error) {
	about := []any{"profile", s.profileName, "service", string(s.baseURL)}
	if err == nil {
		d.log.Info("the service sends the market again", about...)
		return
	}
	f := explain(err)
	d.log.Error("the service sends no market", append(about, "error", a.redact(f.what), "advice", f.next())...)
}

func (d *desks) storeIn(kind, name string) (*store.Store, error) {
	dir := filepath.Join(d.stateDir(), "share", kind, name)
	if err := privateDir(dir); err != nil {
		return nil, err
	}
	return store.Open(filepath.Join(dir, "tonne.db")), nil
}

func privateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.Chmod(dir, 0o700)
}

// storeOf returns the store of a person, whose ledger is bounded: one in memory
// for somebody who changes nothing that lasts.
func (d *desks) storeOf(p sshd.Person) (*store.Store, error) {
	if p.ReadOnly {
		return store.Open("").Bound(session.MostRequests), nil
	}
	own, err := d.storeIn("people", p.ID)
	if err != nil {
		return nil, err
	}
	return own.Bound(session.MostRequests), nil
}

// close ends all desks, and waits for them.
func (d *desks) close() {
	d.end()
	d.running.Wait()
}
