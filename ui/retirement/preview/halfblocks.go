package preview

import (
	"fmt"
	"image"
	"image/color"
	"strings"

	"tonne/ui/style"
)

// pictureBody shows a picture in half blocks: two pixels to a cell.
type pictureBody struct {
	picture image.Image

	// drawn is the picture in a size and mode.
	drawn         string
	width, height int
	mode          style.Mode
}

// size asks for as much as there is in the picture's shape.
func (p *pictureBody) size(width, height int) (w, h int) {
	size := p.picture.Bounds().Size()
	w = min(width, max(size.X*height*2/size.Y, 12))
	h = min(height, max(w*size.Y/size.X/2, 1))
	return max(w, 12), h
}

func (p *pictureBody) draw(b *style.Block) {
	width, height, mode := b.Width(), b.Room()-1, b.Theme().Mode()
	if p.drawn == "" || p.width != width || p.height != height || p.mode != mode {
		p.width, p.height, p.mode = width, height, mode
		p.drawn = blocks(p.picture, width, height, mode == style.Mono)
	}
	b.Append(p.drawn)
}

func (p *pictureBody) press(string) {}

func (p *pictureBody) keys() string { return "" }

// blocks draws a picture in width × height cells, with colours or with shades
// of one.
func blocks(picture image.Image, width, height int, mono bool) string {
	var b strings.Builder
	for y := range height {
		if y > 0 {
			b.WriteByte('\n')
		}
		for x := range width {
			upper := average(picture, x, 2*y, width, 2*height)
			lower := average(picture, x, 2*y+1, width, 2*height)
			if mono {
				b.WriteRune(shade(upper, lower))
				continue
			}
			fmt.Fprintf(&b, "\x1b[38;2;%d;%d;%d;48;2;%d;%d;%dm▀", upper.R, upper.G, upper.B, lower.R, lower.G, lower.B)
		}
		b.WriteString("\x1b[m")
	}
	return b.String()
}

// shade returns the block that is as bright as two pixels together.
func shade(a, b color.RGBA) rune {
	shades := []rune(" ░▒▓█")
	light := func(c color.RGBA) int { return (299*int(c.R) + 587*int(c.G) + 114*int(c.B)) / 1000 }
	return shades[(light(a)+light(b))*len(shades)/(2*256)]
}

// samples is how many pixels are looked at in each direction for one that is
// drawn.
const samples = 4

// average returns the colour of one of width × height parts of a picture on
// white paper.
func average(picture image.Image, x, y, width, height int) color.RGBA {
	area := picture.Bounds()
	var r, g, b uint32
	for dy := range samples {
		for dx := range samples {
			at := image.Pt(
				area.Min.X+(x*samples+dx)*area.Dx()/(width*samples),
				area.Min.Y+(y*samples+dy)*area.Dy()/(height*samples),
			)
			pr, pg, pb, pa := picture.At(at.X, at.Y).RGBA()
			paper := 0xffff - pa
			r, g, b = r+(pr+paper)>>8, g+(pg+paper)>>8, b+(pb+paper)>>8
		}
	}
	const n = samples * samples
	return color.RGBA{uint8(r / n), uint8(g / n), uint8(b / n), 0xff}
}
