package command

import (
	"path/filepath"

	"tonne/model/store"
)

func (a *App) storePath() string { return filepath.Join(a.StateDir(), "tonne.db") }

// OpenStore opens the local store, or that of the guest.
func (a *App) OpenStore() *store.Store {
	if a.Guest != nil {
		return a.Guest.Store
	}
	return store.Open(a.storePath()).WhenLost(func(lost error) {
		// A dashboard shows it by itself.
		if a.Terminal == nil || a.Terminal.Screen.Load() == nil {
			a.Warn("%v", lost)
		}
	})
}
