package retirement

import (
	"tonne/api/session"
	"tonne/ui/effect"
	"tonne/ui/tab"
)

type memory struct {
	// problem is why nothing outlives this run, a sentence; told says that the
	// person knows.
	problem string
	told    bool
}

func (m *memory) receive(e session.StoreEvent, shown bool) effect.Effect {
	var said []effect.Effect
	if e.Problem != nil {
		m.problem = tab.Sentence(e.Problem)
		if shown {
			said = append(said, m.tell())
		}
	}
	for _, f := range e.Failed {
		if f.Subject == session.LedgerWrites {
			said = append(said, effect.Warn("Not remembered: "+f.Err.Error()+"."))
		}
	}
	return effect.Batch(said...)
}

func (m *memory) tell() effect.Effect {
	if m.problem == "" || m.told {
		return nil
	}
	m.told = true
	return effect.Warn("The ledger is kept for this run only. Below it stands why.")
}

func unread(err error) effect.Effect {
	if err == nil {
		return nil
	}
	return effect.Warn("The ledger was not read: " + err.Error() + ".")
}
