package session

import (
	"tonne/api"
)

// page is a page of the inventory that somebody at a desk looks at.
type page struct {
	// readers are those who look, true for who was told what is on it.
	readers map[*seat]bool
	newest  InventoryEvent
	known   bool
}

func (p *page) fresh(s *seat) bool { return p != nil && !p.readers[s] }

func (d *Desk) turnPage(s *seat, q *api.InventoryQuery) {
	for query, p := range d.pages {
		if _, reads := p.readers[s]; !reads || q != nil && query == *q {
			continue
		}
		delete(p.readers, s)
		if len(p.readers) == 0 {
			delete(d.pages, query)
			d.host.post(func(l *loop) { l.polls.dropPage(query) })
		}
	}
	s.page = nil
	if q == nil {
		return
	}
	p, kept := d.pages[*q]
	if !kept {
		p = &page{readers: make(map[*seat]bool)}
		d.pages[*q] = p
		query := *q
		d.host.post(func(l *loop) { l.polls.keepPage(query) })
	}
	s.page, p.readers[s] = p, false
	if p.known {
		d.showPage(s, p)
	}
}

func (d *Desk) toPage(e InventoryEvent) {
	p, kept := d.pages[e.Query]
	if !kept {
		return
	}
	p.newest, p.known = e, true
	for s := range p.readers {
		d.showPage(s, p)
	}
}

func (d *Desk) showPage(s *seat, p *page) {
	s.tell(p.newest)
	p.readers[s] = p.newest.Inventory != nil
}
