package wire

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"tonne/model"
)

// AppendInventory appends the answer of GET /api/inventory (interface section
// 4) to dst.
func AppendInventory(dst []byte, projects []model.InventoryProject, page model.Page) []byte {
	dst = append(dst, `{"projects":[`...)
	for i, p := range projects {
		dst = appendComma(dst, i)
		dst = appendText(append(dst, `{"project_id":`...), p.ID)
		dst = append(dst, `,"vintages":[`...)
		for j, v := range p.Vintages {
			dst = appendComma(dst, j)
			dst = appendInventoryVintage(dst, v)
		}
		dst = append(dst, "]}"...)
	}
	dst = append(dst, "],"...)
	return append(appendPagination(dst, page), '}')
}

func appendInventoryVintage(dst []byte, v model.InventoryVintage) []byte {
	dst = appendText(append(dst, `{"vintage_id":`...), v.ID)
	dst = append(dst, `,"wallets":[`...)
	for i, w := range v.Wallets {
		dst = appendComma(dst, i)
		dst = appendText(append(dst, `{"type":`...), w.Type)
		dst = appendDigits(append(dst, `,"quantity_grams":`...), int64(w.Quantity))
		dst = append(dst, `,"trades":[`...)
		for j, t := range w.Trades {
			dst = appendComma(dst, j)
			dst = appendText(append(dst, `{"execution_date":`...), t.ExecutionDate.Text)
			dst = appendDigits(append(dst, `,"quantity_grams":`...), int64(t.Quantity))
			dst = appendDigits(append(dst, `,"price_cents":`...), int64(t.Price))
			dst = appendText(append(dst, `,"type":`...), string(t.Type))
			dst = append(dst, '}')
		}
		dst = append(dst, "]}"...)
	}
	return append(dst, "]}"...)
}

// appendPagination appends the pagination object of interface section 2.1 as a
// member with its name. previous_page and next_page are null where there is
// no such page.
func appendPagination(dst []byte, p model.Page) []byte {
	dst = appendInt(append(dst, `"pagination":{"per_page":`...), p.PerPage)
	dst = appendInt(append(dst, `,"total_pages":`...), p.TotalPages)
	dst = appendInt(append(dst, `,"total_items":`...), p.TotalItems)
	dst = appendInt(append(dst, `,"current_page":`...), p.Current)
	dst = append(dst, `,"previous_page":`...)
	if previous := min(p.Current-1, p.TotalPages); previous >= 1 {
		dst = appendInt(dst, previous)
	} else {
		dst = append(dst, "null"...)
	}
	dst = append(dst, `,"next_page":`...)
	if p.Current < p.TotalPages {
		dst = appendInt(dst, p.Current+1)
	} else {
		dst = append(dst, "null"...)
	}
	return append(dst, '}')
}

// AppendProjects appends the answer of GET /api/projects to dst. Optional
// members without a value are left out.
func AppendProjects(dst []byte, projects []model.Project) []byte {
	dst = append(dst, `{"projects":[`...)
	for i, p := range projects {
		dst = appendComma(dst, i)
		dst = appendProject(dst, p)
	}
	return append(dst, "]}"...)
}

func appendProject(dst []byte, p model.Project) []byte {
	dst = appendText(append(dst, `{"project_id":`...), p.ID)
	dst = appendText(append(dst, `,"project_name":`...), p.Name)
	dst = appendText(append(dst, `,"type":`...), p.Type)
	dst = appendText(append(dst, `,"location":`...), p.Country)
	dst = appendOptional(dst, "registry_project_url", p.RegistryURL)
	dst = appendOptional(dst, "registry_id", p.RegistryID)
	dst = appendOptional(dst, "registry_name", p.RegistryName)
	dst = append(dst, `,"sdgs":`...)
	dst = appendTexts(dst, p.SDGs)
	dst = appendOptional(dst, "description", p.Description)
	dst = append(dst, `,"vintages":[`...)
	for i, v := range p.Vintages {
		dst = appendComma(dst, i)
		dst = appendText(append(dst, `{"vintage_id":`...), v.ID)
		dst = appendInt(append(dst, `,"vintage_year":`...), v.Year)
		dst = appendOptional(dst, "registry_vintage_url", v.RegistryURL)
		dst = append(dst, '}')
	}
	return append(dst, "]}"...)
}

func appendComma(dst []byte, i int) []byte {
	if i > 0 {
		return append(dst, ',')
	}
	return dst
}

func appendDigits(dst []byte, n int64) []byte {
	return append(strconv.AppendInt(append(dst, '"'), n, 10), '"')
}

func appendInt(dst []byte, n int) []byte { return strconv.AppendInt(dst, int64(n), 10) }

func appendText(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}

func appendTexts(dst []byte, texts []string) []byte {
	dst = append(dst, '[')
	for i, s := range texts {
		dst = appendText(appendComma(dst, i), s)
	}
	return append(dst, ']')
}

func appendOptional(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	dst = appendText(append(dst, ','), name)
	return appendText(append(dst, ':'), value)
}
