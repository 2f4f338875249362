package ui

import (
	"context"
	"errors"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/retire"
	"tonne/model"
	"tonne/model/retirement"
	"tonne/ui/uitest"
)

// withProfiles adds profiles of which only one can be opened.
func withProfiles(o *Options) {
	profiles := []Profile{
		{Name: "live", Address: "https://live.example", Label: "Acme Ltd", Production: true},
		{Name: "live-eu", Address: "https://eu.example"},
		{Name: "test", Address: "https://test.example", Current: true},
	}
	o.Profiles = func() []Profile { return profiles }
	o.Prepare = func(_ context.Context, name string) (any, error) {
		if name == "live-eu" {
			return nil, errors.New("The profile live-eu has no API key.")
		}
		return "prepared " + name, nil
	}
}

func TestSwitchingTheProfile(t *testing.T) {
	t.Parallel()
	unknown := retire.Call{ExternalID: "tonne-one", State: retire.Sent, Unsure: true, Plan: retirement.Call{Price: model.UnknownPrice}}
	abandoned := unknown
	abandoned.GivenUp = true
	for name, test := range map[string]struct {
		options func(*Options)
		pending []retire.Call
		// begin runs before the palette opens.
		begin func(r *robot)
		typed string
		// sees is on the screen, unless the dashboard ends with a prepared profile.
		sees, ends string
	}{
		"exact name":         {typed: "profile live", ends: "prepared live"},
		"list":               {typed: "profile", sees: "Profiles · ↵ switches"},
		"part of an address": {typed: "test.example", sees: "The profile test is in use already."},
		"no key":             {typed: "profile live-eu", sees: "The profile stays. The profile live-eu has no API key."},
		"no profiles":        {options: func(o *Options) { o.Profiles = func() []Profile { return nil } }, typed: "profile", sees: "There are no profiles."},
		"unknown profile":    {typed: "profile nosuch", sees: "No profile is named nosuch. Profiles: live, live-eu, test."},
		"edited profiles": {begin: func(r *robot) {
			r.app.o.Profiles = func() []Profile { return []Profile{{Name: "new", Address: "https://new.example"}} }
		}, typed: "profile new", ends: "prepared new"},
		"demo":        {options: func(o *Options) { o.Profiles, o.Prepare = nil, nil }, typed: "profile", sees: "A demo has no profiles."},
		"shared desk": {options: func(o *Options) { o.Retire, o.Remote = nil, &Remote{} }, typed: "profile", sees: "A shared desk has the profile of your SSH key."},
		"call with unknown outcome": {pending: []retire.Call{unknown}, begin: func(r *robot) { r.types("esc") },
			typed: "profile live", sees: "1 retirement with unknown outcome. Settle with U before you switch the profile."},
		"abandoned call": {pending: []retire.Call{abandoned}, typed: "profile live", ends: "prepared live"},
		"call in flight": {begin: func(r *robot) {
			r.reviews()
			r.types("2", ".", "5")
			r.now = r.now.Add(time.Second)
			// The command does not run, so the call stays in flight.
			r.app.Update(uitest.Stroke("enter"))
			r.types("esc")
		}, typed: "profile live", sees: "A retirement is in flight."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flow := &carriesOut{pending: test.pending}
			r := newRobotWith(t, 100, 30, func(o *Options) {
				o.Retire = flow
				withProfiles(o)
				if test.options != nil {
					test.options(o)
				}
			})
			r.run(r.app.Init())
			r.settle()
			if test.begin != nil {
				test.begin(r)
			}
			r.Press(":")
			r.send(tea.PasteMsg{Content: test.typed})
			r.Press("enter")
			switched, _ := r.app.quit.(*Switched)
			switch {
			case test.ends != "" && (switched == nil || switched.To != test.ends || !r.quit):
				t.Errorf("ends with %v, want %q:\n%s", r.app.quit, test.ends, r.Text())
			case test.ends == "" && (r.quit || r.app.quit != nil):
				t.Errorf("ends with %v", r.app.quit)
			case test.ends == "":
				r.Sees(test.sees)
			}
		})
	}
}

func TestProfileListShowsWhatIsProduction(t *testing.T) {
	t.Parallel()
	for _, width := range []int{60, 120} {
		r := newRobotWith(t, width, 24, withProfiles)
		r.settle()
		r.Press(":")
		r.send(tea.PasteMsg{Content: "profile"})
		r.Press("enter")
		r.Sees("PRODUCTION  profile live · https://live.example", "profile test (in use) · https://test")
		uitest.Exact(t, r.frame(), width, 24)
	}
}

// Until the other profile is ready, the user may begin a retirement.
func TestProfileStaysIfARetirementBeginsMeanwhile(t *testing.T) {
	t.Parallel()
	r, _ := retiring(t, 100, 30, withProfiles)
	ready := profiles{r.app}.switchTo(r.app.accounts[0])
	r.run(r.app.run(current, profiles{r.app}.switchTo(r.app.accounts[1])))
	r.Sees("Another profile is being opened.")
	r.reviews()
	r.types("2", ".", "5")
	r.now = r.now.Add(time.Second)
	r.app.Update(uitest.Stroke("enter"))
	r.run(r.app.run(current, ready))
	if r.quit || r.app.quit != nil {
		t.Errorf("ends with %v", r.app.quit)
	}
	r.Sees("A retirement is in flight. Switch the profile when its outcome is known.")
}
