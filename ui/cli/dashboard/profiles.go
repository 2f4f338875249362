package dashboard

import (
	"context"
	"errors"

	"tonne/ui"
	"tonne/ui/cli/command"
)

// offerProfiles lists the profiles to which the user can switch.
func (d *account) offerProfiles(o *ui.Options, now *command.Settings) {
	o.Profiles = func() (all []ui.Profile) {
		file, err := d.App.ConfigFile()
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
		at := command.Settings{File: file, Credentials: now.Credentials}
		for _, base := range at.Addresses() {
			all = append(all, ui.Profile{Name: base.Host(), Address: string(base),
				Current: now.ProfileName == "" && now.BaseURL.Same(base)})
		}
		return all
	}
	o.Prepare = func(_ context.Context, name string) (any, error) {
		next, err := d.profile(name)
		if err != nil {
			return nil, errors.New(d.App.Clean(sentences(err)))
		}
		next.greeting = "The profile is " + name + " now, at " + next.settings.Place() + "."
		return next, nil
	}
}

// profile returns the account of a profile. Flags and environment apply only to the first account, because a key
// belongs to one address, and --allow-retire to the profile for which it was given.
func (d *account) profile(name string) (*account, error) {
	next := &Dashboard{AllowRetire: d.AllowRetire}
	if name == d.settings.ProfileName {
		a, s, err := d.App.ForProfile("", "", d.App.Terminal)
		if err == nil && s.ProfileName == name && s.BaseURL == d.settings.BaseURL {
			next.App = a
			return &account{Dashboard: next, settings: s}, nil
		}
	}
	a, s, err := d.App.ForProfile(name, "the dashboard", d.App.Terminal)
	if err != nil {
		return nil, err
	}
	next.App = a
	if given := next.AllowRetire; given != nil && given.Value.String() == "true" {
		next.AllowRetire = nil
	}
	client, err := a.NewClient(s, 0)
	if err != nil {
		return nil, errors.New(a.Redact(sentences(err)))
	}
	client.Close()
	return &account{Dashboard: next, settings: s}, nil
}

// sentences returns an error and its advice for the screen.
func sentences(err error) string {
	f := command.Explain(err)
	return command.Sentence(command.Capital(f.Error())) + " " + command.Sentence(command.Capital(f.Next().String()))
}
