package record

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
	"tonne/model/market"
)

// Unwatched is the longest time between two reads of a watched period, and the time after a
// read for which its market counts as that of the service.
const Unwatched = 2 * time.Minute

// late is the longest delay of a read that another program overtook. A longer one means that
// the clock was set back.
const late = 5 * time.Minute

// Read is a complete read of a market.
type Read struct {
	Market *market.Market
	// At is the end of the read on the wall clock of this machine.
	At time.Time
	// Ahead is how far the clock of the service is ahead, if Dated reports that it is known.
	Ahead time.Duration
	Dated bool
}

// BehindError is returned for a read that ended long before the last recorded one: the clock
// was set back.
type BehindError struct{ At, Last time.Time }

// Error says until when nothing is recorded.
func (e *BehindError) Error() string {
	return "the market is not recorded until " + e.Last.Format(time.RFC3339) +
		", the time of the last recorded read: the clock was set back"
}

// latest is the market of the last read, as the file has it.
type latest struct {
	market *market.Market
	// changed is the field of the table origin that belongs to it.
	changed int64
	places  map[model.VintageKey]placed
	// same are the vintages that market lacks because their orders are those of the read to add.
	same map[model.VintageKey]bool
}

// placed is a row of the table vintage.
type placed struct {
	id, place, digest int64
	year              int32
}

// Add records a read. It ignores a market that is not whole, and a read that ended before
// the last recorded one. The error is a *BehindError, or from the file.
func (s Service) Add(ctx context.Context, r Read) error {
	if !r.Market.Whole() {
		return nil
	}
	return s.file.use(ctx, "BEGIN IMMEDIATE", func(t *tx) {
		w := &writer{tx: t, at: r.At.UnixMilli(), now: r.Market}
		t.run("INSERT OR IGNORE INTO origin (url) VALUES (?)", s.url)
		w.origin = t.origin(s.url)
		last := t.moment("SELECT max(at) FROM read WHERE origin = ?", w.origin)
		switch behind := last.UnixMilli() - w.at; {
		case last.IsZero() || behind < 0:
			w.latest = s.file.latest[s.url]
			w.current()
			w.add(r, last)
			s.file.latest[s.url] = w.latest
		case behind > late.Milliseconds() && t.err == nil:
			t.err = &BehindError{r.At, last.In(r.At.Location())}
		}
	})
}

// writer adds one read.
type writer struct {
	*tx
	*latest
	now        *market.Market
	origin, at int64
	text       []byte
}

// current finds the market of the last read: that of this program, unless another one has recorded a
// change. Then it lacks what is the same now.
func (w *writer) current() {
	var changed, digested int64
	w.each("SELECT changed, digested FROM origin WHERE id = ?", func(stmt *sqlite.Stmt) {
		changed, digested = stmt.ColumnInt64(0), stmt.ColumnInt64(1)
	}, w.origin)
	if w.latest != nil && w.changed == changed {
		return
	}
	found := w.vintages(w.origin)
	w.latest = &latest{changed: changed, places: make(map[model.VintageKey]placed, len(found)),
		same: make(map[model.VintageKey]bool, len(found))}
	b := newBuilder(found)
	for _, id := range slices.Sorted(maps.Keys(found)) {
		v := found[id]
		w.places[v.key] = placed{id, v.place, v.digest, v.year}
		if w.same[v.key] = !w.digest(v.key) && v.digest != 0 && digested == changed; !w.same[v.key] {
			w.each("SELECT vintage, order_id, price, quantity FROM offer WHERE vintage = ?", b.add, id)
		}
	}
	w.market = b.market()
	w.run("UPDATE origin SET digested = changed WHERE id = ?", w.origin)
}

// digest writes a hash of the orders of a vintage in their order, 0 if the read does not list it, unless
// the file has that.
func (w *writer) digest(key model.VintageKey) (changed bool) {
	v, digest := w.places[key], int64(0)
	if i, listed := w.now.Find(key); listed {
		w.text = w.text[:0]
		for n := w.now.Vintage(i).First; n < w.now.Vintage(i).End; n++ {
			o := w.now.Order(int(n))
			w.text = append(append(w.text, o.ID...), 0)
			w.text = binary.AppendUvarint(binary.AppendUvarint(w.text, uint64(o.Price)), uint64(o.Quantity))
		}
		sum := sha256.Sum256(w.text)
		digest = int64(binary.BigEndian.Uint64(sum[:]))
	}
	if v.digest == digest {
		return false
	}
	v.digest = digest
	w.places[key] = v
	w.run("UPDATE vintage SET digest = ? WHERE id = ?", digest, v.id)
	return true
}

func (w *writer) add(r Read, last time.Time) {
	var d difference
	if r.Market != w.market {
		d = diff(w.market, r.Market, w.same)
	}
	w.place(r.Market, d.come)
	w.date(r.Market, d.come)
	w.replace(d)
	if len(d.gone)+len(d.come) > 0 {
		w.run("UPDATE origin SET changed = ?1, digested = ?1 WHERE id = ?2", w.at, w.origin)
		w.changed = w.at
	}
	var ahead any
	if r.Dated {
		ahead = r.Ahead.Milliseconds()
	}
	if last.IsZero() || w.at-last.UnixMilli() > Unwatched.Milliseconds() {
		d.orders = 0 // They changed while no program watched.
		w.run("INSERT INTO period (origin, since, ahead) VALUES (?, ?, ?)", w.origin, w.at, ahead)
	} else if r.Dated {
		w.run(`UPDATE period SET ahead = ?1 WHERE origin = ?2 AND (ahead IS NULL OR abs(?1) - abs(ahead) > ?3)
			AND since = (SELECT max(since) FROM period WHERE origin = ?2)`, ahead, w.origin, drift.Milliseconds())
	}
	w.run("INSERT INTO read (origin, at, changes) VALUES (?, ?, ?)", w.origin, w.at, d.orders)
	w.market, w.same = r.Market, nil
}

// drift is how much the clock of the service must differ from what its period has before that is
// replaced: the header Date has seconds.
const drift = 2 * time.Second

// apart is the distance between the places of vintages, so that others find room between them.
const apart = 1 << 20

// place gives the vintages that the read before did not list their place between the others. One
// that was listed earlier moves if it now stands elsewhere.
func (w *writer) place(m *market.Market, come []offer) {
	fresh := make(map[model.VintageKey]bool)
	for _, o := range come {
		if _, listed := w.market.Find(o.of); !listed {
			fresh[o.of] = true
		}
	}
	if len(fresh) == 0 {
		return
	}
	keys, years := listed(m)
	// following are the places of the next vintage that stays in its place, maxTime at the end.
	following := make([]int64, len(keys)+1)
	following[len(keys)] = maxTime
	for i, key := range slices.Backward(keys) {
		if following[i] = following[i+1]; !fresh[key] {
			following[i] = w.latest.places[key].place
		}
	}
	before := int64(0)
	for i, key := range keys {
		v := w.latest.places[key]
		if fresh[key] && (v.id == 0 || v.place <= before || v.place >= following[i]) {
			v.place, v.year = before+min((following[i]-before)/2, apart), years[i]
			w.enter(key, &v)
		}
		before = v.place
	}
}

// enter writes a vintage with a new place.
func (w *writer) enter(key model.VintageKey, v *placed) {
	if v.id != 0 {
		w.run("UPDATE vintage SET place = ?, year = ? WHERE id = ?", v.place, int64(v.year), v.id)
	} else {
		w.run(`INSERT INTO vintage (origin, project_id, vintage_id, year, place) VALUES (?, ?, ?, ?, ?)`,
			w.origin, key.ProjectID, key.VintageID, int64(v.year), v.place)
		v.id = w.conn.LastInsertRowID()
	}
	w.latest.places[key.Clone()] = *v
}

// date updates the years that an earlier read did not have.
func (w *writer) date(m *market.Market, come []offer) {
	for _, o := range come {
		v := w.latest.places[o.of]
		if i, found := m.Find(o.of); found && m.Vintage(i).Year != 0 && m.Vintage(i).Year != v.year {
			v.year = m.Vintage(i).Year
			w.enter(o.of, &v)
		}
	}
}

// listed returns the vintages in the order of the market, with their years. A project without
// vintages has one without an id.
func listed(m *market.Market) (keys []model.VintageKey, years []int32) {
	for i := range m.Projects() {
		p := m.Project(i)
		if p.First == p.End {
			keys, years = append(keys, model.VintageKey{ProjectID: p.ID}), append(years, 0)
		}
		for v := p.First; v < p.End; v++ {
			keys, years = append(keys, m.Key(v)), append(years, m.Vintage(v).Year)
		}
	}
	return keys, years
}

func (w *writer) replace(d difference) {
	for _, o := range d.gone {
		vintage, since := w.latest.places[o.of].id, int64(0)
		w.each("DELETE FROM offer WHERE vintage = ? AND order_id = ? RETURNING since",
			func(stmt *sqlite.Stmt) { since = stmt.ColumnInt64(0) }, vintage, o.order.ID)
		w.run(`INSERT INTO past_offer (origin, span, since, vintage, order_id, until, price, quantity)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, w.origin, span(w.at-since), since, vintage, o.order.ID, w.at,
			int64(o.order.Price), int64(o.order.Quantity))
	}
	for _, o := range d.come {
		w.run("INSERT INTO offer (vintage, order_id, since, price, quantity) VALUES (?, ?, ?, ?, ?)",
			w.latest.places[o.of].id, o.order.ID, w.at, int64(o.order.Price), int64(o.order.Quantity))
	}
	for _, offers := range [][]offer{d.gone, d.come} {
		for i, o := range offers {
			if i == 0 || offers[i-1].of != o.of {
				w.digest(o.of)
			}
		}
	}
}
