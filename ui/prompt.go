package ui

import (
	"tonne/ui/effect"
	"tonne/ui/tab"
)

func newPrompt(p effect.Prompt) *tab.Form {
	f := tab.NewForm(tab.Form{Heading: p.Title, Note: p.Hint, Keys: "↵ done · Esc cancels", Width: 72, Labels: []string{""}, Hints: []string{""}, Replace: true})
	f.Enter = func() (done bool, e effect.Effect) {
		answer, problem := p.Parse(f.Value(0))
		if problem != "" {
			f.Fail(0, problem)
			return false, nil
		}
		return true, effect.Answer{Value: answer}
	}
	f.SetValue(0, p.Value)
	f.Go(0)
	return f
}
