package portfolio

import "tonne/model"

// JoinInventory joins pages of one read. A vintage that moved between pages and is listed
// twice is kept once, at its first position.
func JoinInventory(parts ...*Inventory) *Inventory {
	joined := &Inventory{}
	at := make(map[string]int)
	seen := make(map[model.VintageKey]bool)
	for _, part := range parts {
		joined.Faults = append(joined.Faults, part.Faults...)
		for _, p := range part.Projects {
			n, known := at[p.ID]
			if !known {
				n = len(joined.Projects)
				at[p.ID] = n
				joined.Projects = append(joined.Projects, Project{ID: p.ID, Extra: p.Extra})
			}
			for _, v := range p.Vintages {
				if key := (model.VintageKey{ProjectID: p.ID, VintageID: v.ID}); !seen[key] {
					seen[key] = true
					joined.Projects[n].Vintages = append(joined.Projects[n].Vintages, v)
				}
			}
		}
	}
	return joined
}
