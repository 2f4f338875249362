package command

import (
	"maps"

	"tonne/model/advice"
	"tonne/ui/cli/config"
	"tonne/ui/cli/terminal"
)

// ForProfile returns a run for another profile, with its settings and its key. The flags and
// variables for address and key apply only to the profile of a, which is named "". from is
// the source of the name, as a phrase.
func (a *App) ForProfile(profile, from string, t *terminal.Terminal) (*App, *Settings, error) {
	other := NewApp(a.Process, t)
	other.Descriptions, other.knowsDisplaced, other.records = a.Descriptions, a.knowsDisplaced, a.records
	if a.File != nil {
		other.LogTo(a.File)
	}
	maps.Copy(other.Flags, a.Flags)
	if profile != "" {
		other.Flags["profile"], other.Flags["base_url"], other.ProfileFrom = profile, "", from
		other.Getenv = func(name string) string {
			if name == "TONNE_BASE_URL" || name == "TONNE_API_KEY" {
				return ""
			}
			return a.Getenv(name)
		}
	}
	s, err := other.WithKey()
	if profile != "" && (err == nil && s.Borrowed || err != nil && Explain(err).Code == notConfigured) {
		err = NotConfigured(advice.Format("run %s", advice.Tonne("auth login --profile", advice.ShellWord(profile))),
			"the profile "+profile+" has no API key")
	}
	if err != nil {
		return nil, nil, err
	}
	return other, s, nil
}

// Addresses returns the addresses with a stored key that no profile of the configuration has, the
// latest login first. --profile selects one by the name of its host.
func (s *Settings) Addresses() (all []config.BaseURL) {
	accounts, _ := s.Credentials.Accounts()
	for _, account := range accounts {
		if account.Profile == "" && len(s.File.At(account.BaseURL)) == 0 {
			all = append(all, account.BaseURL)
		}
	}
	return all
}

// Names returns the names that --profile selects: those of profiles, and hosts with a stored key.
func (s *Settings) Names() []string {
	names := s.File.Names()
	for _, base := range s.Addresses() {
		names = append(names, base.Host())
	}
	return names
}

// Usual returns the settings of a run without --profile and --base-url.
func (a *App) Usual() (*Settings, error) {
	other := NewApp(a.Process, a.Terminal)
	maps.Copy(other.Flags, a.Flags)
	delete(other.Flags, "profile")
	delete(other.Flags, "base_url")
	return other.Settings()
}
