package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/clipboard"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// copy puts text on the terminal's clipboard, and on the machine's where
// there is one.
func (d *Desk) copy(c tab.Copy) tea.Cmd {
	if c.Text == "" {
		return tab.Say("There is nothing to copy here.")
	}
	sequence, err := clipboard.Sequence(c.Text, d.o.Getenv)
	if err != nil {
		return tab.Complain("Not copied: " + err.Error() + ".")
	}
	ctx, getenv := d.view.Context, d.o.Getenv
	native := func() tea.Msg {
		// The terminal's clipboard is the one that counts: this one is only
		// for terminals that ignore the sequence.
		_ = clipboard.Native(ctx, c.Text, getenv)
		return nil
	}
	return tea.Batch(tea.Raw(sequence), native, tab.Say("Copied "+c.What+"."))
}

// browse opens an address, after it was checked, and names the host.
func (d *Desk) browse(url string) tea.Cmd {
	host, err := d.o.Safe(url)
	if err != nil {
		return tab.Complain("Not opened: " + err.Error() + ".")
	}
	ctx, open := d.view.Context, d.o.Browse
	d.wish(tab.Toast{Text: "Opening " + host + " …"})
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		if err := open(ctx, url); err != nil {
			// Why is of no use here, but the address is.
			return tab.Toast{Text: "No browser opened " + url, Bad: true}
		}
		return nil
	}
}

// notice is how many cells of a message go into a notification of the terminal.
const notice = 200

// notify tells the person through the terminal (OSC 9 and the bell), and on
// the screen. What would end the sequence early is replaced in the text.
func (d *Desk) notify(text string) tea.Cmd {
	return tea.Batch(tea.Raw("\x1b]9;"+style.Clip(text, notice)+"\x07\x07"), tab.Say(text))
}
