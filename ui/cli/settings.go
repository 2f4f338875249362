package cli

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"tonne/api"
	"tonne/ui/cli/config"
	"tonne/ui/cli/credentials"
)

// settings are where to connect and as whom. Each remembers where it was
// found.
type settings struct {
	file *config.File
	// profile is the profile in use, which is always one of the address; its name
	// is empty if there is none.
	profile     config.Profile
	profileName string
	profileFrom string
	// displaced is the profile that was named and does not apply, since the address
	// is not its own; empty for none.
	displaced    string
	baseURL      config.BaseURL
	baseURLFrom  string
	key, keyFrom string
	// borrowed says that the key is the one of the address, as the profile has
	// none of its own.
	borrowed    bool
	timeout     time.Duration
	credentials *credentials.Store
}

func (s *settings) bookAccount() string {
	if s.profileName == "" {
		return string(s.baseURL)
	}
	return string(s.baseURL) + "#" + s.profileName
}

// The origins of settings, in the order in which they win.
const (
	fromDefault     = "default"
	fromCredentials = "stored credentials"
)

// errNotConfigured says that nothing names a marketplace.
var errNotConfigured = errors.New("no marketplace is configured")

// settings finds everything but the key. The error is errNotConfigured if
// no marketplace is named.
func (a *app) settings() (*settings, error) {
	if a.guest != nil {
		s, _, err := a.guest.connect()
		if err == nil {
			a.production = s.production()
		}
		return s, err
	}
	if err := a.openDebug(); err != nil {
		return nil, err
	}
	s := &settings{credentials: credentials.Open(a.credentialsDir(), a.Keyring)}
	var err error
	if s.file, err = a.configFile(); err != nil {
		return nil, err
	}
	if err := a.chooseProfile(s); err != nil {
		return nil, err
	}
	timeout, _ := a.value("timeout", s.file, "")
	if s.timeout, err = time.ParseDuration(timeout); err != nil {
		return nil, err
	}
	err = a.chooseBaseURL(s)
	a.production = s.production()
	return s, err
}

func (a *app) configFile() (*config.File, error) {
	path, named := a.configPath()
	return config.Read(path, named)
}

func (a *app) configPath() (path string, named bool) {
	if path, _ := a.value("config", nil, ""); path != "" {
		return path, true
	}
	return filepath.Join(a.configDir(), "config.toml"), false
}

func (a *app) value(name string, file *config.File, profile string) (text, from string) {
	of := config.Find(name)
	if text = a.flags[name]; text != "" {
		return text, "--" + of.Flag
	}
	if of.Env != "" {
		if text = strings.TrimSpace(a.Getenv(of.Env)); text != "" {
			return text, of.Env
		}
	}
	if file != nil {
		if text = file.Value(of, profile); text != "" {
			return text, file.Path()
		}
	}
	return of.Default, fromDefault
}

func (a *app) chooseProfile(s *settings) error {
	name, from := a.value("profile", s.file, "")
	if name == "" {
		return nil
	}
	if a.profileFrom != "" {
		from = a.profileFrom
	}
	s.profileName, s.profileFrom = name, from
	var known bool
	if s.profile, known = s.file.Lookup(name); !known {
		return unknownProfile(s, from)
	}
	return nil
}

func unknownProfile(s *settings, from string) error {
	todo := "add one with `tonne auth login --profile " + s.profileName + " --base-url URL`"
	if names := s.file.Names(); len(names) > 0 {
		todo = "use one of: " + strings.Join(names, ", ")
	}
	return usage(todo, "%s names the profile %q, and %s has none of that name", from, s.profileName, s.file.Path())
}

func (a *app) chooseBaseURL(s *settings) error {
	if url, from := a.value("base_url", nil, ""); url != "" {
		base, err := config.ParseBaseURL(url)
		if err != nil {
			return usage(addressAdvice(url), "%s: %v", from, err)
		}
		s.baseURL, s.baseURLFrom = base, from
		s.fitProfile()
		if a.flags["profile"] != "" && s.displaced != "" && !a.told.displaced {
			a.told.displaced = true
			a.warn("%s names another address than the profile %s, which does not apply", from, s.displaced)
		}
		return nil
	}
	if s.profile.BaseURL != "" {
		s.baseURL, s.baseURLFrom = s.profile.BaseURL, s.file.Path()
		return nil
	}
	return s.takeStored()
}

// fitProfile keeps the profile only if the address is its own. Otherwise the only
// profile with the address applies, or none.
func (s *settings) fitProfile() {
	if s.profileName == "" || !s.profile.BaseURL.Same(s.baseURL) {
		s.displaced = s.profileName
		s.profile, s.profileName, s.profileFrom = config.Profile{}, "", ""
		if names := s.file.At(s.baseURL); len(names) == 1 {
			s.profileName, s.profileFrom = names[0], s.baseURLFrom
			s.profile, _ = s.file.Lookup(names[0])
		}
	}
	if s.profileName != "" {
		// Ledger and journal are kept by the address as the profile spells it.
		s.baseURL = s.profile.BaseURL
	}
}

func addressAdvice(typed string) string {
	for _, scheme := range []string{"https://", "http://"} {
		base, err := config.ParseBaseURL(scheme + typed)
		if err == nil && base.IsLoopback() == (scheme == "http://") && !strings.Contains(typed, "://") {
			return fmt.Sprintf("did you mean %s?", base)
		}
	}
	return "give an address such as https://market.example"
}

func (s *settings) takeStored() error {
	accounts, err := s.credentials.Accounts()
	if err != nil {
		return err
	}
	for _, account := range accounts {
		profile, known := s.file.Lookup(account.Profile)
		switch {
		case account.Profile == "":
			s.baseURL, s.baseURLFrom = account.BaseURL, fromCredentials
			return nil
		case known && profile.BaseURL.Origin() == account.BaseURL.Origin():
			s.baseURL, s.baseURLFrom = profile.BaseURL, fromCredentials
			s.profile, s.profileName, s.profileFrom = profile, account.Profile, fromCredentials
			return nil
		}
	}
	return errNotConfigured
}

// findKey finds the key. The keyring is not asked if the environment has
// one. The error is credentials.ErrNone if there is none.
func (a *app) findKey(s *settings) error {
	if a.guest != nil {
		a.key = s.key
		return nil
	}
	if key, from := a.value("key", nil, ""); key != "" {
		s.key, s.keyFrom = key, from
		a.key, a.keySource = key, fromEnvironment
		return nil
	}
	account, err := s.credentials.InUse(s.keyProfile(), s.baseURL)
	if err != nil {
		return err
	}
	key, place, err := s.credentials.Key(account)
	if err != nil {
		return err
	}
	s.key, s.keyFrom = key, fmt.Sprintf("%s (%s)", fromCredentials, place)
	if s.borrowed = account.Profile != s.keyProfile(); s.borrowed {
		s.keyFrom += ", the one of the address, as the profile has none of its own"
	}
	a.key, a.keySource = key, keySource(account, place, s.credentials)
	return nil
}

func (s *settings) keyProfile() string {
	named, _ := s.file.Lookup(s.displaced)
	if s.profileName == "" && named.BaseURL.Origin() == s.baseURL.Origin() {
		return s.displaced
	}
	return s.profileName
}

func keySource(account credentials.Account, place credentials.Place, store *credentials.Store) string {
	source := "the keyring"
	if place == credentials.InFile {
		source = "the file " + store.Path()
	}
	if account.Profile != "" {
		return source + ", profile " + account.Profile
	}
	return source
}

func (s *settings) label() string { return cmp.Or(s.profile.Label, s.profileName) }

func (s *settings) production() string {
	name := s.profileName
	if !s.profile.Production {
		name = s.file.Production(s.baseURL)
	}
	if name == "" {
		return ""
	}
	return "PRODUCTION (profile " + name + ")"
}

func (a *app) onProduction() string {
	if a.production == "" {
		return ""
	}
	return "; this is " + a.production
}

func (s *settings) place() string {
	if production := s.production(); production != "" {
		return s.baseURL.Host() + ", which is " + production
	}
	return s.baseURL.Host()
}

// connect returns a client for the marketplace that is configured. The caller
// disconnects it.
func (a *app) connect() (*api.Client, *settings, error) {
	s, err := a.withKey()
	if err != nil {
		return nil, nil, err
	}
	if a.guest != nil {
		_, client, err := a.guest.connect()
		return client, s, err
	}
	client, err := a.newClient(s, retries)
	return client, s, err
}

func (a *app) disconnect(client *api.Client) {
	if a.guest == nil {
		client.Close()
	}
}

func (a *app) withKey() (*settings, error) {
	s, err := a.settings()
	if errors.Is(err, errNotConfigured) {
		return nil, notConfigured("try `tonne demo`, run `tonne auth login`, or set TONNE_BASE_URL and TONNE_API_KEY", "no marketplace is configured")
	}
	if err != nil {
		return nil, err
	}
	if err := a.findKey(s); errors.Is(err, credentials.ErrNone) {
		return nil, notConfigured("run `"+s.loginCommand()+"`, or set TONNE_API_KEY", "there is no API key for "+string(s.baseURL))
	} else if err != nil {
		return nil, err
	}
	a.announce()
	return s, nil
}

func (a *app) announce() {
	if a.production != "" {
		a.told.production = "this is " + a.production
	}
}

func (s *settings) loginCommand() string {
	switch {
	case s.profileFrom == "--profile":
		return "tonne auth login --profile " + s.profileName
	case s.baseURLFrom == "--base-url":
		return "tonne auth login --base-url " + string(s.baseURL)
	}
	return "tonne auth login"
}

func notConfigured(todo, what string) error {
	return &failure{what: what, todo: todo, status: statusUsage, code: "not_configured"}
}

// retries is how often a data command repeats a request that failed for a
// reason that may pass.
const retries = 4

func (a *app) newClient(s *settings, retries int) (*api.Client, error) {
	return api.New(a.clientOptions(s, retries))
}

func (a *app) clientOptions(s *settings, retries int) api.Options {
	return api.Options{
		BaseURL: string(s.baseURL), Key: s.key, Timeout: s.timeout, Retries: retries,
		UserAgent: "tonne/" + buildVersion().Version, Log: a.log(), Transport: a.Transport, Asked: a.waits,
	}
}
