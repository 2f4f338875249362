package command

import (
	"maps"

	"tonne/model/advice"
	"tonne/ui/cli/terminal"
)

// ForProfile returns a run for another profile, with its settings and its key. The flags and
// variables for address and key apply only to the profile of a, which is named "". from is
// the source of the name, as a phrase.
func (a *App) ForProfile(profile, from string, t *terminal.Terminal) (*App, *Settings, error) {
	other := NewApp(a.Process, t)
	other.Descriptions, other.knowsDisplaced = a.Descriptions, a.knowsDisplaced
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
		err = NotConfigured(advice.Format("run %s", advice.Tonne("auth login --profile", ShellWord(profile))),
			"the profile "+profile+" has no API key")
	}
	if err != nil {
		return nil, nil, err
	}
	return other, s, nil
}
