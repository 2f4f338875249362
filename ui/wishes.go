package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/clip"
	"tonne/ui/paint"
	"tonne/ui/view"
)

// copy puts text on the terminal's clipboard, and on the machine's where
// there is one.
func (d *Desk) copy(c view.Copy) tea.Cmd {
	if c.Text == "" {
		return view.Say("There is nothing to copy here.")
	}
	sequence, err := clip.Sequence(c.Text, d.o.Getenv)
	if err != nil {
		return view.Complain("Not copied: " + err.Error() + ".")
	}
	ctx, getenv := d.view.Context, d.o.Getenv
	native := func() tea.Msg {
		// The terminal's clipboard is the one that counts: this one is only
		// for terminals that ignore the sequence.
		_ = clip.Native(ctx, c.Text, getenv)
		return nil
	}
	return tea.Batch(tea.Raw(sequence), native, view.Say("Copied "+c.What+"."))
}

// browse opens an address, after it was checked, and names the host.
func (d *Desk) browse(url string) tea.Cmd {
	host, err := d.o.Safe(url)
	if err != nil {
		return view.Complain("Not opened: " + err.Error() + ".")
	}
	ctx, open := d.view.Context, d.o.Browse
	d.wish(view.Toast{Text: "Opening " + host + " …"})
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		if err := open(ctx, url); err != nil {
			// Why is of no use here, but the address is.
			return view.Toast{Text: "No browser opened " + url, Bad: true}
		}
		return nil
	}
}

// notice is how many cells of a message go into a notification of the terminal.
const notice = 200

// notify tells the person through the terminal (OSC 9 and the bell), and on
// the screen. What would end the sequence early is replaced in the text.
func (d *Desk) notify(text string) tea.Cmd {
	return tea.Batch(tea.Raw("\x1b]9;"+paint.Clip(text, notice)+"\x07\x07"), view.Say(text))
}
