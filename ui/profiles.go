package ui

import (
	"cmp"
	"context"
	"strings"

	"tonne/model"
	"tonne/model/advice"
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

// profiles are the accounts to which the user can switch.
type profiles struct{ app *App }

func (w profiles) whyNotSwitch() string {
	switch {
	case w.app.o.Remote != nil:
		return "A shared desk has the profile of your SSH key."
	case w.app.o.Prepare == nil:
		return "A demo has no profiles."
	case len(w.app.accounts) == 0:
		return w.app.view.Commands(advice.Format(
			"There are no profiles. %s adds one.", advice.Tonne("auth login --profile NAME --base-url URL")))
	}
	return w.app.retiring.whyNotLeave()
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
		return model.Count(n, "retirement", "retirements") +
			" with unknown outcome. Settle with U before you switch the profile."
	}
	return ""
}

// read reads the profiles again, because the user may have edited the configuration.
func (w profiles) read() effect.Effect {
	if w.app.o.Prepare == nil {
		return nil
	}
	return effect.Work(func(context.Context) any {
		all := w.app.o.Profiles()
		return effect.Then(func() effect.Effect {
			w.app.accounts = all
			return nil
		})
	})
}

// keys returns one command per profile that switches to it, and what the user typed to name another one.
func (w profiles) keys(typed string) keymap.Group {
	g := keymap.Group{Name: "Profiles"}
	var names []string
	for _, p := range w.app.accounts {
		names = append(names, p.Name)
		b := keymap.Binding{Action: "profile " + p.Name, Why: w.whyNotSwitch,
			Do: func() effect.Effect { return w.switchTo(p) }}
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
		g.Bindings = append(g.Bindings,
			keymap.Binding{Action: typed, Help: typed, Do: func() effect.Effect { return nil }, Why: func() string {
				return cmp.Or(w.whyNotSwitch(), "No profile is named "+tab.Typed(name)+". Profiles: "+strings.Join(names, ", ")+".")
			}})
	}
	return g
}

func (w profiles) switchTo(p Profile) effect.Effect {
	if p.Current {
		return effect.Say("The profile " + p.Name + " is in use already.")
	}
	if w.app.opening {
		return effect.Say("Another profile is being opened.")
	}
	w.app.opening = true
	work := effect.Work(func(ctx context.Context) any {
		next, err := w.app.o.Prepare(ctx, p.Name)
		return effect.Then(func() effect.Effect {
			w.app.opening = false
			// A retirement may have begun meanwhile.
			why := w.whyNotSwitch()
			if err != nil {
				why = "The profile stays. " + err.Error()
			}
			if why != "" {
				return effect.Warn(why)
			}
			return effect.Quit{Why: &Switched{next}}
		})
	})
	return effect.Batch(effect.SayWhile(func() bool { return w.app.opening }, "Opening the profile "+p.Name+" …"), work)
}
