package tab

// Detail is the part of a tab that belongs to the thing that the cursor is on.
// While the cursor runs over things that nobody reads, it stays as it was and
// costs the terminal nothing; it says itself what it is of. The zero value is
// ready.
type Detail struct {
	text          string
	width, height int
}

// Layout lets draw make width × height cells, unless the cursor runs. If the
// detail is focused, it is what runs.
func (d *Detail) Layout(v *View, focused bool, width, height int, draw func(width, height int) string) {
	if height <= 0 {
		*d = Detail{}
		return
	}
	if !v.KeyHeld || focused || d.width != width || d.height != height {
		*d = Detail{draw(width, height), width, height}
	}
}

// Text returns what was drawn last.
func (d *Detail) Text() string { return d.text }
