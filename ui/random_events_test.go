package ui

import (
	"image/color"
	"math/rand/v2"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"tonne/api/session"
	"tonne/model/retirement"
	"tonne/ui/uitest"
)

// chance generates random events for a dashboard.
type chance struct {
	*rand.Rand
	r *robot
	// written is what was sent to the terminal in addition to frames.
	written []string
	// planned are the next messages: the rest of a course.
	planned []tea.Msg
	// hint is the label of an offered retirement request.
	hint string
	// certificate is the path of a downloaded file.
	certificate string
}

// one returns a random element.
func one[T any](c *chance, of ...T) T { return of[c.IntN(len(of))] }

// message returns the next message.
func (c *chance) message() tea.Msg {
	if len(c.planned) > 0 && c.IntN(8) > 0 {
		next := c.planned[0]
		c.planned = c.planned[1:]
		return next
	}
	switch n := c.IntN(100); {
	case n < 3:
		c.plan()
		return tea.KeyPressMsg{Code: tea.KeyEscape}
	case n < 66:
		return c.key()
	case n < 72:
		return feedEvents{events: withSession(c.event())}
	case n < 84:
		return c.mouse()
	case n < 90:
		return c.size()
	case n < 93:
		return tea.PasteMsg{Content: c.pasted()}
	case n < 96:
		c.r.now = c.r.now.Add(time.Duration(c.Int64N(int64(time.Hour))) - 10*time.Minute)
		return tick{c.r.app.clock}
	}
	return c.terminal()
}

// courses lead to places that random keys seldom reach: keys, then a text that is typed and
// submitted.
var courses = []struct {
	strokes string
	typed   []string
}{
	{"1 G b", []string{"500", "1", "9223372036854", "0.5", "retire 0.02", "retire 1.5", "retire 9223372036854.775807",
		"-1"}},
	{"1 j a", []string{"best ask <= 6.00", "best ask >= 92233720368547758.07", "5% under last paid", "available > 1000 t",
		"100% over last paid"}},
	{"1 j f j f w enter j x", []string{""}},
	{"1 f w j", []string{""}},
	{"1 j c c c", []string{""}},
	{"2 n", []string{"1", "0", "999999999999999999999", "-5"}},
	{"2 enter", []string{""}},
	{"3 a", []string{"00mcomplete", "00mclosed", "00mother 00mcomplete,00mclosed"}},
	{"3 enter /", []string{"G-1", "9"}},
	{"3 D", []string{"certificates"}},
	{"3 d", []string{"certificates"}},
	{"3 e", []string{"evidence.csv", "evidence.xlsx", "evidence"}},
	{"3 E", []string{"evidence.json"}},
	{"3 L", []string{"Q3 flights"}},
	{"3 d d", []string{""}},
	{"3 p", []string{""}},
	{"3 p j j k pgdown space up down", []string{""}},
	{"?", []string{"price"}},
	{":", []string{"columns"}},
}

// plan starts a course on the first screen.
func (c *chance) plan() {
	course := courses[c.IntN(len(courses))]
	c.planned = []tea.Msg{c.saved()}
	for _, stroke := range strings.Fields("esc esc esc " + course.strokes) {
		c.planned = append(c.planned, uitest.Stroke(stroke))
	}
	if typed := one(c, one(c, course.typed...), one(c, course.typed...), c.text()); typed != "" {
		c.planned = append(c.planned, tea.PasteMsg{Content: typed})
	}
	c.planned = append(c.planned, tea.KeyPressMsg{Code: tea.KeyEnter})
}

// saved returns the event of a saved certificate.
func (c *chance) saved() tea.Msg {
	id := one(c, "00mcomplete", "00mclosed")
	c.r.feed.Answer(uitest.Answer{ID: id, Retirement: uitest.Retirement(id, retirement.Complete), At: c.r.now})
	e := session.CertificateEvent{ID: id,
		Saved: &retirement.Certificate{Path: c.certificate, MediaType: "image/png", SHA256: c.text(), FetchedAt: c.r.now}}
	c.keep(e)
	return feedEvents{events: append(c.r.feed.News(), e)}
}

// strokes are keys that have an effect.
var strokes = strings.Fields("1 2 3 tab j j j k k down up pgup pgdown ctrl+d ctrl+u g g G home end enter enter enter esc esc / / s b b i v c C f F o y Y u m r space ? ? : : h l [ ] t z n N a x e E I p d D L R S W w . 0 5 q ctrl+c left right backspace")

// key returns any key that a terminal can send. Half of them have an effect; some have modifiers.
func (c *chance) key() tea.Msg {
	switch c.IntN(16) {
	case 0:
		return tea.KeyPressMsg(c.special())
	case 1:
		return tea.KeyPressMsg{Code: rune(' ' + c.IntN(0x5f)), Mod: c.modifiers()}
	case 2:
		// An editing key.
		return tea.KeyPressMsg{Code: one(c, 'a', 'b', 'd', 'e', 'f', 'h', 'k', 'n', 'p', 'u', 'v', 'w'),
			Mod: one(c, tea.ModAlt, tea.ModCtrl)}
	case 3:
		return tea.KeyPressMsg{
			Code: one(c, tea.KeyLeft, tea.KeyRight, tea.KeyUp, tea.KeyDown, tea.KeyHome, tea.KeyEnd, tea.KeyBackspace,
				tea.KeyDelete),
			Mod: one(c, 0, 0, tea.ModAlt, tea.ModCtrl, tea.ModShift),
		}
	case 4:
		return tea.KeyPressMsg{Code: tea.KeyExtended, Text: c.text()}
	case 5:
		// Keys of other scripts.
		code := one(c, 'й', 'ф', '森', 'é', 'ß', 0, -1, 0x10ffff)
		return tea.KeyPressMsg{Code: code, Text: one(c, string(code), ""), BaseCode: one(c, rune('a'+c.IntN(26)), 0),
			Mod: c.modifiers()}
	case 6:
		return tea.KeyReleaseMsg(c.special())
	case 7:
		letter := rune('!' + c.IntN(0x5e))
		return tea.KeyPressMsg{Code: letter, Text: string(letter), IsRepeat: c.IntN(2) == 0}
	}
	return uitest.Stroke(strokes[c.IntN(len(strokes))])
}

// special returns a key without text: an arrow, a function key, a media key, a modifier.
func (c *chance) special() tea.Key {
	keys := [...][2]rune{{tea.KeyUp, tea.KeyIsoLevel5Shift}, {tea.KeyKpEnter, tea.KeyKpBegin}, {tea.KeyF1, tea.KeyF63},
		{0, 0x20}, {0x7f, 0x7f}}
	of := keys[c.IntN(len(keys))]
	return tea.Key{Code: of[0] + c.Int32N(of[1]-of[0]+1), Mod: c.modifiers()}
}

// modifiers returns none, one or several modifiers.
func (c *chance) modifiers() tea.KeyMod {
	return one(c, 0, 0, tea.ModShift, tea.ModAlt, tea.ModCtrl, tea.KeyMod(c.IntN(1<<9)))
}

// mouse returns any button at any position, even outside the terminal.
func (c *chance) mouse() tea.Msg {
	app := c.r.app
	m := tea.Mouse{X: c.IntN(app.width+10) - 5, Y: c.IntN(app.height+10) - 5, Button: tea.MouseLeft, Mod: c.modifiers()}
	if c.IntN(8) == 0 {
		m.X, m.Y, m.Button = c.IntN(70_000)-100, c.IntN(70_000)-100, tea.MouseButton(c.IntN(13))
	}
	switch c.IntN(8) {
	case 0:
		return tea.MouseReleaseMsg(m)
	case 1:
		return tea.MouseMotionMsg(m)
	case 2, 3, 4:
		m.Button = one(c, tea.MouseWheelUp, tea.MouseWheelDown, tea.MouseWheelLeft, tea.MouseWheelRight)
		return tea.MouseWheelMsg(m)
	}
	return tea.MouseClickMsg(m)
}

// size returns mostly a common size, sometimes any from 1×1 to 500×200.
func (c *chance) size() tea.Msg {
	switch c.IntN(12) {
	case 0:
		return tea.WindowSizeMsg{Width: 1 + c.IntN(500), Height: 1 + c.IntN(200)}
	case 1:
		return tea.WindowSizeMsg{Width: one(c, 0, 1, 59, 60, 500), Height: one(c, 0, 1, 14, 15, 200)}
	}
	return tea.WindowSizeMsg{Width: minWidth + c.IntN(140), Height: minHeight + c.IntN(45)}
}

// pasted returns text or many lines of ids.
func (c *chance) pasted() string {
	switch c.IntN(20) {
	case 0:
		return strings.Repeat("森1️⃣ \x1b[2J", 1<<14)
	case 1, 2:
		return strings.Repeat("00mcomplete\r\n"+c.text()+"\n", c.IntN(200))
	case 3, 4, 5:
		return "00mclosed"
	}
	return c.text()
}

// terminal returns a report of a terminal.
func (c *chance) terminal() tea.Msg {
	back := one[color.Color](c, nil, color.Black, color.White, color.RGBA{0x30, 0x30, 0x30, 0xff})
	return one[tea.Msg](c,
		tea.FocusMsg{}, tea.BlurMsg{}, tea.ResumeMsg{}, tea.PasteStartMsg{}, tea.PasteEndMsg{},
		tea.BackgroundColorMsg{Color: back}, tea.ForegroundColorMsg{Color: back}, tea.CursorColorMsg{Color: back},
		tea.ColorProfileMsg{Profile: colorprofile.Profile(c.IntN(6))}, tea.KeyboardEnhancementsMsg{Flags: c.IntN(32)},
		tea.ModeReportMsg{}, tea.CapabilityMsg{Content: c.text()}, tea.TerminalVersionMsg{Name: c.text()},
		tea.ClipboardMsg{Content: c.text()}, tea.CursorPositionMsg{X: -1, Y: 1 << 20}, tea.EnvMsg{c.text()}, nil,
	)
}
