package inventory

import (
	"tonne/ui/effect"
	"tonne/ui/tab"
)

func (t *Tab) whyNotRetire() string {
	if why := t.whyNoRow(); why != "" {
		return why
	}
	return t.view.WhyNotRetire()
}

func (t *Tab) retire() effect.Effect {
	r, _ := t.wallets.table.Current()
	return t.view.Retire(tab.RetireFrom{Vintage: r.Key.VintageKey.Clone()})
}
