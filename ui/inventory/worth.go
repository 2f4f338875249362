package inventory

import (
	"tonne/api/feed"
	"tonne/api/session"
	"tonne/model"
	"tonne/ui/chart"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// worth is the line that tells what the whole book is worth, whatever is shown
// below it.
type worth struct {
	view *tab.View
	// now is what the session told last; known says that it did.
	now    session.BookValueEvent
	known  bool
	opened session.TrendsEvent
}

func (w *worth) take(e session.BookValueEvent) { w.now, w.known = e, true }

func (w *worth) of(b *book) (value model.BookValue, fits bool) {
	if !b.event.Partial || w.view.Market.Market == nil {
		return w.now.Value, w.now.Err == nil
	}
	value, err := b.event.Positions.BookValue(w.view.Market.Market, w.opened.Opening())
	return value, err == nil
}

func (w *worth) draw(line *style.Line, b *book, lately []int64) {
	line.Gap(1)
	role, caveat, short := w.caveat(b)
	if !w.known && (!b.event.Partial || w.view.Market.Market == nil) {
		line.PutLeft(style.Muted, "What the book is worth is not known yet"+dot(caveat), line.Room())
		return
	}
	value, fits := w.of(b)
	if !fits {
		line.PutLeft(style.Warning, "⚠ The book is worth more than any amount.", line.Room())
		return
	}
	pieces, fit := w.fit(&value, line.Room()-behind(caveat))
	if !fit {
		caveat = short
		pieces, _ = w.fit(&value, line.Room()-behind(caveat))
	}
	for _, p := range pieces {
		line.Put(p.role, p.text)
	}
	if room := line.Room() - behind(caveat); len(lately) > 1 && room > sparkRoom {
		line.Gap(2)
		line.Put(style.Accent, chart.Sparkline(lately, room-2))
	}
	line.Gap(max(line.Room()-style.Width(caveat)-1, 1))
	line.PutLeft(role, caveat, line.Room())
}

func behind(text string) int {
	if text == "" {
		return 0
	}
	return style.Width(text) + 2
}

func (w *worth) fit(v *model.BookValue, room int) (pieces []piece, fits bool) {
	for _, form := range forms {
		if pieces = w.pieces(v, form); widthOf(pieces) <= room {
			return pieces, true
		}
	}
	return pieces, false
}

// sparkRoom is the room from which on a curve is worth its place.
const sparkRoom = 12

func dot(text string) string {
	if text == "" {
		return ""
	}
	return " · " + text
}

func (w *worth) caveat(b *book) (role style.Role, text, short string) {
	s := b.event.Status
	switch {
	case b.event.Partial && s.Err != nil:
		return style.Warning, "⚠ of a part: " + tab.Brief(s.Err), "⚠ of a part"
	case b.event.Partial:
		return style.Muted, "◌ of a part: " + b.part(), "◌ of a part"
	case w.view.Market.Partial && w.view.Market.Market != nil:
		return style.Muted, "◌ of a part of the market", "◌ of a part"
	case b.event.Positions == nil && s.Total > 1:
		return style.Muted, b.part(), ""
	case w.known && (s.Old() || w.view.Market.Old()):
		return style.Warning, "⚠ as of " + w.view.Since(w.now.At), "⚠ old"
	case w.known && (s.State == feed.Paused || w.view.Market.State == feed.Paused):
		return style.Muted, "‖ as of " + w.view.Since(w.now.At), "‖"
	case w.known && w.now.Value.Unread > 0:
		return style.Warning, "⚠ " + tab.Count(w.now.Value.Unread, "wallet", "wallets") + " not readable", "⚠"
	}
	return style.Muted, "", ""
}

// form is how much the line says: its words, cents, the tonnes, and what could
// not be valued.
type form struct {
	ask, cost           string
	cents, tonnes, rest bool
}

// forms are the ways to say it, the fullest first.
var forms = [...]form{
	{"at the best ask ", "against cost ", true, true, true},
	{"at the best ask ", "against cost ", true, true, false},
	{"ask ", "cost ", true, true, false},
	{"ask ", "cost ", false, true, false},
	{"ask ", "cost ", false, false, false},
}

// piece is a text with its meaning.
type piece struct {
	role style.Role
	text string
}

func widthOf(pieces []piece) (width int) {
	for _, p := range pieces {
		width += style.Width(p.text)
	}
	return width
}

func (w *worth) pieces(v *model.BookValue, f form) []piece {
	var all []piece
	add := func(role style.Role, text string) { all = append(all, piece{role, text}) }
	money := model.Cents.FormatRounded
	change := model.Cents.FormatRoundedChange
	if f.cents {
		money, change = model.Cents.FormatDollars, model.Cents.FormatChange
	}
	if f.tonnes {
		add(style.Strong, w.view.Quantity(v.Held))
		add(style.Faint, " · ")
	}
	add(style.Muted, f.ask)
	add(style.Strong, money(v.Value))
	if f.rest && v.Unvalued > 0 {
		why := " that nobody sells"
		if w.view.Market.Partial {
			why = " whose prices are not read yet"
		}
		add(style.Muted, ", without "+w.view.Quantity(v.Unvalued)+why)
	}
	difference := func(label string, c model.Cents, of model.Grams) {
		add(style.Faint, " · ")
		add(style.Muted, label)
		if of == 0 {
			add(style.Faint, "—")
			return
		}
		role, arrow := tab.Way(c)
		add(role, arrow+change(c))
	}
	difference(f.cost, v.OverCost, v.Compared)
	difference(w.view.SinceDay(w.opened.Since)+" ", v.Today, v.Moved)
	return all
}
