package ui

import (
	"cmp"
	"context"
	"strings"

	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/keymap"
	"tonne/ui/tab"
)

// Profile is an account of a marketplace in the configuration.
type Profile struct {
	Name, Address, Label string
	// Production marks it as production. Current reports whether the dashboard shows it.
	Production, Current bool
}

// Switched is the error of Run after the user switched to another profile. To is the result of Options.Prepare.
type Switched struct{ To any }

// Error returns a fixed text.
func (*Switched) Error() string { return "the profile was switched" }

func (a *App) whyNotSwitch() string {
	switch {
	case a.o.Remote != nil:
		return "A shared desk has the profile of your SSH key."
	case a.o.Prepare == nil:
		return "A demo has no profiles."
	case len(a.accounts) == 0:
		return a.view.Commands("There are no profiles. `tonne auth login --profile NAME --base-url URL` adds one.")
	}
	return a.retiring.whyNotLeave()
}

// whyNotLeave returns the reason why the user must stay with this profile, such as an unsettled call, or "".
func (r *calls) whyNotLeave() string {
	if r.controller == nil {
		return ""
	}
	if r.controller.Out() {
		return "A retirement is in flight. Switch the profile when its outcome is known."
	}
	if n := r.controller.Unconfirmed(); n > 0 {
		return model.Count(n, "retirement", "retirements") + " with unknown outcome. Settle with U before you switch the profile."
	}
	return ""
}

// readProfiles reads the profiles again, because the user may have edited the configuration.
func (a *App) readProfiles() effect.Effect {
	if a.o.Prepare == nil {
		return nil
	}
	return effect.Work(func(context.Context) any {
		all := a.o.Profiles()
		return effect.Then(func() effect.Effect {
			a.accounts = all
			return nil
		})
	})
}

// profiles returns one command per profile that switches to it, and what the user typed to name another one.
func (a *App) profiles(typed string) keymap.Group {
	g := keymap.Group{Name: "Profiles"}
	var names []string
	for _, p := range a.accounts {
		names = append(names, p.Name)
		b := keymap.Binding{Action: "profile " + p.Name, Why: a.whyNotSwitch, Do: func() effect.Effect { return a.switchTo(p) }}
		b.Help = b.Action
		if p.Current {
			b.Why, b.Help = nil, b.Help+" (in use)"
		}
		if b.Help += " · " + p.Address; p.Label != "" {
			b.Help += " · " + p.Label
		}
		if p.Production {
			b.Alarm = production
		}
		g.Bindings = append(g.Bindings, b)
	}
	if name, named := strings.CutPrefix(typed, "profile "); named && noneHas(names, name) {
		g.Bindings = append(g.Bindings, keymap.Binding{Action: typed, Help: typed, Do: func() effect.Effect { return nil }, Why: func() string {
			return cmp.Or(a.whyNotSwitch(), "No profile is named "+tab.Typed(name)+". Profiles: "+strings.Join(names, ", ")+".")
		}})
	}
	return g
}

func (a *App) switchTo(p Profile) effect.Effect {
	if p.Current {
		return effect.Say("The profile " + p.Name + " is in use already.")
	}
	if a.opening {
		return effect.Say("Another profile is being opened.")
	}
	a.opening = true
	work := effect.Work(func(ctx context.Context) any {
		next, err := a.o.Prepare(ctx, p.Name)
		return effect.Then(func() effect.Effect {
			a.opening = false
			// A retirement may have begun meanwhile.
			why := a.whyNotSwitch()
			if err != nil {
				why = "The profile stays. " + err.Error()
			}
			if why != "" {
				return effect.Warn(why)
			}
			return effect.Quit{Why: &Switched{next}}
		})
	})
	return effect.Batch(effect.SayWhile(func() bool { return a.opening }, "Opening the profile "+p.Name+" …"), work)
}
