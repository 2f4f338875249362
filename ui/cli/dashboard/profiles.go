package dashboard

import (
	"context"
	"errors"

	"tonne/ui"
	"tonne/ui/cli/command"
)

// offerProfiles lists the profiles to which the user can switch.
func (first *account) offerProfiles(o *ui.Options, now *command.Settings) {
	o.Profiles = func() (all []ui.Profile) {
		file, err := first.App.ConfigFile()
		if err != nil {
			file = now.File
		}
		for _, name := range file.Names() {
			profile, _ := file.Lookup(name)
			current := name == now.ProfileName
			if current {
				profile = now.Profile
			}
			all = append(all, ui.Profile{
				Name: name, Address: string(profile.BaseURL), Label: profile.Label,
				Production: file.Production(profile.BaseURL) != "", Current: current,
			})
		}
		return all
	}
	o.Prepare = func(_ context.Context, name string) (any, error) {
		next, err := first.profile(name)
		if err != nil {
			return nil, errors.New(first.App.Clean(sentences(err)))
		}
		next.greeting = "The profile is " + name + " now, at " + next.settings.Place() + "."
		return next, nil
	}
}

// profile returns the account of a profile. Flags and environment apply only to the first account, because a key
// belongs to one address, and --allow-retire to the profile for which it was given.
func (first *account) profile(name string) (*account, error) {
	d := &Dashboard{AllowRetire: first.AllowRetire}
	if name == first.settings.ProfileName {
		a, s, err := first.App.ForProfile("", "", first.App.Terminal)
		if err == nil && s.ProfileName == name && s.BaseURL == first.settings.BaseURL {
			d.App = a
			return &account{Dashboard: d, settings: s}, nil
		}
	}
	a, s, err := first.App.ForProfile(name, "the dashboard", first.App.Terminal)
	if err != nil {
		return nil, err
	}
	d.App = a
	if given := d.AllowRetire; given != nil && given.Value.String() == "true" {
		d.AllowRetire = nil
	}
	client, err := a.NewClient(s, 0)
	if err != nil {
		return nil, errors.New(a.Redact(sentences(err)))
	}
	client.Close()
	return &account{Dashboard: d, settings: s}, nil
}

// sentences returns an error and its advice for the screen.
func sentences(err error) string {
	f := command.Explain(err)
	return command.Sentence(command.Capital(f.Error())) + " " + command.Sentence(command.Capital(f.Next().String()))
}
