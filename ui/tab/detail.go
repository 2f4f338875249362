package tab

// Detail is the part of a tab that belongs to the thing that the cursor is on.
// While the cursor runs over things that nobody reads, it stays as it was and
// costs the terminal nothing; it says itself what it is of. The zero value is
// ready.
type Detail struct {
	text          string
	width, height int
}

// Render returns width × height cells that draw makes, or those that it made
// last while the cursor runs. Where the detail is focused, it is what runs.
func (d *Detail) Render(v *View, focused bool, width, height int, draw func(width, height int) string) string {
	if !v.KeyHeld || focused || d.width != width || d.height != height {
		*d = Detail{draw(width, height), width, height}
	}
	return d.text
}
