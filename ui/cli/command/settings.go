package command

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"tonne/api"
	"tonne/model/advice"
	"tonne/model/statement"
	"tonne/ui/cli/config"
	"tonne/ui/cli/credentials"
)

// MarketplaceURL returns the address of the configured marketplace. It needs no key.
func (a *App) MarketplaceURL() (string, error) {
	s, err := a.Settings()
	if err != nil {
		return "", err
	}
	a.Announce()
	return string(s.BaseURL), nil
}

// Settings has the marketplace, the profile and the key of a run, each with its source.
type Settings struct {
	File *config.File
	// Profile is the current profile, with the current address. Without a profile, its name is empty.
	Profile     config.Profile
	ProfileName string
	ProfileFrom string
	// stored is the address that --profile names by its host, if it is in no profile.
	stored config.BaseURL
	// Displaced is the selected profile if it does not apply, because its address differs.
	Displaced    string
	BaseURL      config.BaseURL
	BaseURLFrom  string
	Key, KeyFrom string
	// Borrowed reports that the profile has no key and uses the key of the address.
	Borrowed    bool
	Timeout     time.Duration
	Credentials *credentials.Store
}

// BookAccount returns the account of the portfolio value in the store.
func (s *Settings) BookAccount() string {
	if s.ProfileName == "" {
		return string(s.BaseURL)
	}
	return string(s.BaseURL) + "#" + s.ProfileName
}

const fromCredentials = "stored credentials"

// ErrNotConfigured is returned if no setting names a marketplace.
var ErrNotConfigured = NotConfigured(
	advice.Format("try %s, run %s, or set TONNE_BASE_URL and TONNE_API_KEY", advice.Tonne("demo"), login),
	"no marketplace is configured")

// Settings finds all settings except the key. The error may be ErrNotConfigured.
func (a *App) Settings() (*Settings, error) {
	if a.Desk != nil {
		s, _, err := a.Desk.Connect()
		if err == nil {
			a.Production = s.Production()
		}
		return s, err
	}
	if err := a.OpenDebug(); err != nil {
		return nil, err
	}
	s := &Settings{Credentials: credentials.Open(a.CredentialsDir(), a.Keyring)}
	var err error
	if s.File, err = a.ConfigFile(); err != nil {
		return nil, err
	}
	if err := s.chooseProfile(a); err != nil {
		return nil, err
	}
	timeout, _ := a.Value("timeout", s.File, "")
	if s.Timeout, err = time.ParseDuration(timeout); err != nil {
		return nil, err
	}
	err = s.chooseBaseURL(a)
	a.Production = s.Production()
	if err == nil && !s.BaseURL.IsLoopback() {
		err = a.checkProxy()
	}
	return s, err
}

// ConfigFile reads the configuration.
func (a *App) ConfigFile() (*config.File, error) {
	path, named := a.ConfigPath()
	return config.Read(path, named)
}

// ConfigPath returns the path of the configuration, and whether a flag or variable sets it.
func (a *App) ConfigPath() (path string, named bool) {
	if path, _ := a.Value("config", nil, ""); path != "" {
		return path, true
	}
	return filepath.Join(a.ConfigDir(), "config.toml"), false
}

// Value finds a setting other than address and key, and its source as a phrase.
func (a *App) Value(name string, file *config.File, profile string) (text, from string) {
	of := config.Find(name)
	if text = a.Flags[name]; text != "" {
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
	return of.Default, "default"
}

func (s *Settings) chooseProfile(a *App) error {
	name, from := a.Value("profile", s.File, "")
	if name == "" {
		return nil
	}
	from = cmp.Or(a.ProfileFrom, from)
	s.ProfileName, s.ProfileFrom = name, from
	var known bool
	if s.Profile, known = s.File.Lookup(name); known {
		return nil
	}
	for _, base := range s.Addresses() {
		if base.Host() == name {
			s.ProfileName, s.ProfileFrom, s.stored = "", "", base
			return nil
		}
	}
	todo := advice.Format("add one with %s", advice.Tonne("auth login --profile", name, "--base-url", "URL"))
	if names := s.Names(); len(names) > 0 {
		todo = advice.Plain("use one of: " + strings.Join(names, ", "))
	}
	return Usage(todo, "%s names the profile %q, which is not in %s", from, name, s.File.Path())
}

func (s *Settings) chooseBaseURL(a *App) error {
	if url, from := a.Value("base_url", nil, ""); url != "" {
		base, err := config.ParseBaseURL(url)
		if err != nil {
			return Usage(AddressAdvice(url), "%s: %v", from, err)
		}
		s.BaseURL, s.BaseURLFrom = base, from
		s.FitProfile()
		if a.Flags["profile"] != "" && s.Displaced != "" && !a.knowsDisplaced {
			a.knowsDisplaced = true
			a.Warn("%s overrides the address of the profile %s, so the profile does not apply", from, s.Displaced)
		}
		return nil
	}
	switch {
	case s.stored != "":
		s.BaseURL, s.BaseURLFrom = s.stored, fromCredentials
		return nil
	case s.Profile.BaseURL != "":
		s.BaseURL, s.BaseURLFrom = s.Profile.BaseURL, s.File.Path()
		return nil
	}
	return s.useStored()
}

// FitProfile keeps the profile only if it has the current address. Otherwise it selects the
// only profile with the address, or none.
func (s *Settings) FitProfile() {
	if s.ProfileName == "" || !s.Profile.BaseURL.Same(s.BaseURL) {
		s.Displaced = s.ProfileName
		s.Profile, s.ProfileName, s.ProfileFrom = config.Profile{}, "", ""
		if names := s.File.At(s.BaseURL); len(names) == 1 {
			s.ProfileName, s.ProfileFrom = names[0], s.BaseURLFrom
			s.Profile, _ = s.File.Lookup(names[0])
		}
	}
	if s.ProfileName != "" {
		// Ledger and journal use the spelling of the address in the profile.
		s.BaseURL = s.Profile.BaseURL
	}
}

// AddressAdvice returns the advice for a mistyped address.
func AddressAdvice(typed string) string {
	for _, scheme := range []string{"https://", "http://"} {
		base, err := config.ParseBaseURL(scheme + typed)
		if err == nil && base.IsLoopback() == (scheme == "http://") && !strings.Contains(typed, "://") {
			return fmt.Sprintf("did you mean %s?", base)
		}
	}
	return "give an address such as https://market.example"
}

func (s *Settings) useStored() error {
	accounts, err := s.Credentials.Accounts()
	if err != nil {
		return err
	}
	for _, account := range accounts {
		profile, known := s.File.Lookup(account.Profile)
		switch {
		case account.Profile == "":
			s.BaseURL, s.BaseURLFrom = account.BaseURL, fromCredentials
			return nil
		case known && profile.BaseURL.Origin() == account.BaseURL.Origin():
			s.BaseURL, s.BaseURLFrom = profile.BaseURL, fromCredentials
			s.Profile, s.ProfileName, s.ProfileFrom = profile, account.Profile, fromCredentials
			return nil
		}
	}
	return ErrNotConfigured
}

// FindKey finds the key, in the environment first. The error may be credentials.ErrNone.
func (a *App) FindKey(s *Settings) error {
	if a.Desk != nil {
		a.Key = s.Key
		return nil
	}
	if key, from := a.Value("key", nil, ""); key != "" {
		s.Key, s.KeyFrom = key, from
		a.Key, a.KeySource = key, FromEnvironment
		return nil
	}
	account, err := s.Credentials.InUse(s.KeyProfile(), s.BaseURL)
	if err != nil {
		return err
	}
	key, place, err := s.Credentials.Key(account)
	if err != nil {
		return err
	}
	s.Key, s.KeyFrom = key, fmt.Sprintf("%s (%s)", fromCredentials, place)
	if s.Borrowed = account.Profile != s.KeyProfile(); s.Borrowed {
		s.KeyFrom += ", stored for the address, because the profile has no key"
	}
	a.Key, a.KeySource = key, StoredKey(account, place, s.Credentials)
	return nil
}

// KeyProfile returns the profile whose key is used.
func (s *Settings) KeyProfile() string {
	named, _ := s.File.Lookup(s.Displaced)
	if s.ProfileName == "" && named.BaseURL.Origin() == s.BaseURL.Origin() {
		return s.Displaced
	}
	return s.ProfileName
}

// Label returns the label of the profile, or its name.
func (s *Settings) Label() string { return cmp.Or(s.Profile.Label, s.ProfileName) }

// StatementAccount returns the account on statements. The tenant is the label of the profile,
// because the service does not report a name.
func (s *Settings) StatementAccount() statement.Account {
	company := func(name string) string { return s.File.Value(config.Find("company."+name), "") }
	return statement.Account{Tenant: s.Profile.Label, Profile: s.ProfileName, Marketplace: string(s.BaseURL),
		Company: statement.Company{Name: company("name"), Address: inOneLine(company("address")), TaxID: company("tax_id")}}
}

// inOneLine joins the lines of a text with commas.
func inOneLine(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(strings.TrimSpace(line), ","); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, ", ")
}

// Production returns the label of a production address, or "".
func (s *Settings) Production() string {
	name := s.ProfileName
	if !s.Profile.Production {
		name = s.File.Production(s.BaseURL)
	}
	if name == "" {
		return ""
	}
	return "PRODUCTION (profile " + name + ")"
}

// OnProduction returns a clause that marks production, or "".
func (a *App) OnProduction() string {
	if a.Production == "" {
		return ""
	}
	return "; this is " + a.Production
}

// Place returns the host of the marketplace, and marks production.
func (s *Settings) Place() string {
	if production := s.Production(); production != "" {
		return s.BaseURL.Host() + ", which is " + production
	}
	return s.BaseURL.Host()
}

// Connect returns a client for the configured marketplace. The caller must call Disconnect.
func (a *App) Connect() (*api.Client, *Settings, error) {
	s, err := a.WithKey()
	if err != nil {
		return nil, nil, err
	}
	if a.Desk != nil {
		_, client, err := a.Desk.Connect()
		return client, s, err
	}
	client, err := a.NewClient(s, Retries)
	return client, s, err
}

// Disconnect closes a client of Connect.
func (a *App) Disconnect(client *api.Client) {
	if a.Desk == nil {
		client.Close()
	}
}

// WithKey finds the settings including the key. The error states what to configure.
func (a *App) WithKey() (*Settings, error) {
	s, err := a.Settings()
	if err != nil {
		return nil, err
	}
	if err := a.FindKey(s); errors.Is(err, credentials.ErrNone) {
		return nil, NotConfigured(advice.Format("run %s, or set TONNE_API_KEY", login),
			"there is no API key for "+string(s.BaseURL))
	} else if err != nil {
		return nil, err
	}
	if a.Desk == nil && len(s.Key) < api.ShortestKey {
		a.Warn("%s", shortKey(s.Key))
	}
	a.Announce()
	return s, nil
}

// Announce makes Messages print a production notice before the data.
func (a *App) Announce() {
	if a.Production != "" {
		a.before = "this is " + a.Production
	}
}

// NotConfigured returns the failure of a run without a marketplace or a key (status 2).
func NotConfigured[T Said](todo T, what string) error {
	return &Failure{What: advice.Plain(what), Todo: textOf(todo), Status: StatusUsage, Code: notConfigured}
}

const notConfigured = "not_configured"

// Retries is how often a data command repeats a request after a temporary failure.
const Retries = 4

// NewClient returns a client for the marketplace of the settings.
func (a *App) NewClient(s *Settings, retries int) (*api.Client, error) {
	return api.New(a.ClientOptions(s, retries))
}

// proxyVariables are the variables of the environment that name the proxy for the marketplace.
var proxyVariables = []string{"HTTPS_PROXY", "https_proxy"}

// checkProxy returns wrong usage if the address of the proxy cannot be read: package http would
// ignore it. The address may contain a password.
func (p Process) checkProxy() error {
	for _, name := range proxyVariables {
		address := p.Getenv(name)
		u, err := url.Parse(address)
		if err != nil || u.Scheme == "" || u.Host == "" {
			u, err = url.Parse("http://" + address)
		}
		if address != "" && (err != nil || u.Hostname() == "" || strings.Contains(u.Host, "@")) {
			return Usage("write it like http://proxy.example:3128", "%s is not the address of a proxy", name)
		}
	}
	return nil
}

// ClientOptions returns the options of a client for the marketplace of the settings.
func (a *App) ClientOptions(s *Settings, retries int) api.Options {
	return api.Options{
		BaseURL: string(s.BaseURL), Key: s.Key, Timeout: s.Timeout, Retries: retries,
		UserAgent: "tonne/" + BuildVersion().Version, Log: a.Log(), Transport: a.Transport, Asked: a.reportWait,
		MarketRead: a.Recording(s), Now: a.Now,
	}
}
