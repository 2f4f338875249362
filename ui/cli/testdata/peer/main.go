// Peer is the smallest program with the dashboard's library: it
// shows how many keys were pressed. Benchmarks compare the dashboard with it.
package main

import (
	"fmt"
	"os"

	tea "charm.land/bubbletea/v2"
)

type peer int

func (p peer) Init() tea.Cmd { return nil }

func (p peer) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		if key.String() == "q" {
			return p, tea.Quit
		}
		p++
	}
	return p, nil
}

func (p peer) View() tea.View {
	v := tea.NewView(fmt.Sprintf("keys: %d", int(p)))
	v.AltScreen = true
	return v
}

func main() {
	if _, err := tea.NewProgram(peer(0), tea.WithFPS(120)).Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
