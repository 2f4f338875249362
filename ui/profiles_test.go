package ui

import (
	"context"
	"errors"
	"testing"
	"time"

	must "tonne/model/musttest"
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

// A shared desk has the profile of the SSH key of its user.
func TestSharedDeskDoesNotSwitchTheProfile(t *testing.T) {
	t.Parallel()
	r := newRobotWith(t, 100, 30, func(o *Options) {
		withProfiles(o)
		o.Remote = &Remote{}
	})
	r.settle()
	r.Command("profile")
	r.Sees("A shared desk has the profile of your SSH key.")
	r.Equal("quits", r.quit, false)
}

// Until the other profile is ready, the user may begin a retirement.
func TestProfileStaysIfARetirementBeginsMeanwhile(t *testing.T) {
	t.Parallel()
	r, _ := retiring(t, 100, 30, withProfiles)
	ready := profiles{r.app}.switchTo(r.app.accounts[0])
	r.run(r.app.run(current, profiles{r.app}.switchTo(r.app.accounts[1])))
	r.Sees("Another profile is being opened.")
	r.Reviews()
	r.types("2", ".", "5")
	r.now = r.now.Add(time.Second)
	r.app.Update(uitest.Stroke("enter"))
	r.run(r.app.run(current, ready))
	must.Hold(t, !r.quit && r.app.quit == nil, "ends with", r.app.quit)
	r.Sees("A retirement is in flight. Switch the profile when its outcome is known.")
}
