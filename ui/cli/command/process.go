package command

import (
	"io"
	"net/http"
	"time"

	"tonne/ui/cli/credentials"
	"tonne/ui/cli/terminal"
)

func (a *App) Accessible() bool { return a.Getenv("ACCESSIBLE") != "" }

func (a *App) IsDumb() bool { return a.Getenv("TERM") == "dumb" }

// Process is what the commands have of the world around them.
type Process struct {
	// Args are the arguments behind the program's name.
	Args           []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Now            func() time.Time
	// Keyring keeps API keys; nil stands for a machine without one.
	Keyring credentials.Keyring
	// Transport makes the requests; nil is the network.
	Transport http.RoundTripper
	// Guest is who runs the command from another machine; nil for nobody.
	Guest *Guest
}

func (a *App) Styled(stream any) bool {
	return terminal.IsTerminal(stream) && a.Getenv("NO_COLOR") == "" && !a.IsDumb() && !a.Accessible()
}
