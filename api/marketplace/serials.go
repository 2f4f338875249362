package marketplace

import (
	"crypto/sha256"
	"fmt"
	"strconv"

	"zombiezen.com/go/sqlite"
)

// The registries whose serial numbers the service can write.
const (
	verra        = "VERRA"
	goldStandard = "GOLD STANDARD"
	acr          = "ACR"
	car          = "CAR"
	art          = "ART"
	puro         = "PURO"
)

// issuance is what serial numbers say besides their range.
type issuance struct {
	registry, project, country, kind string
	year                             int
	// batch counts the registry's issuances of the vintage, from 1.
	batch int64
}

// assignSerials takes the next serial numbers of the vintage for a request,
// one for each tonne. A range ends where the registry's batch does, so that a
// request may hold several.
func (c *change) assignSerials(r request) error {
	of, next, size, err := c.issuanceOf(r.vintage)
	if err != nil {
		return err
	}
	left := r.total.Tonnes()
	for position := 1; left > 0; position++ {
		of.batch = (next-1)/size + 1
		count := min(left, of.batch*size-next+1)
		if err := run(c.Conn, "INSERT INTO serial_numbers (request, position, serial, tonnes) VALUES (?, ?, ?, ?)",
			r.number, position, of.serial(next, next+count-1), count); err != nil {
			return err
		}
		next, left = next+count, left-count
	}
	return run(c.Conn, "UPDATE vintages SET next_serial = ? WHERE number = ?", next, r.vintage)
}

func (c *change) issuanceOf(vintage int64) (of issuance, next, batch int64, err error) {
	_, err = find(c.Conn, `SELECT r.name, p.registry_number, p.country, p.type, v.year, v.next_serial, v.serial_batch
		FROM vintages v JOIN projects p ON p.number = v.project JOIN registries r ON r.number = p.registry
		WHERE v.number = ?`, func(stmt *sqlite.Stmt) {
		of = issuance{
			registry: stmt.ColumnText(0), project: stmt.ColumnText(1), country: stmt.ColumnText(2),
			kind: stmt.ColumnText(3), year: stmt.ColumnInt(4),
		}
		next, batch = stmt.ColumnInt64(5), stmt.ColumnInt64(6)
	}, vintage)
	return of, next, batch, err
}

// serial writes a range of serial numbers in the format of its registry.
func (of issuance) serial(start, end int64) string {
	switch of.registry {
	case verra:
		return fmt.Sprintf("%d-%d-%d-VCS-VCU-%d-VER-%s-%d-%s-0101%04d-3112%04d-0",
			10_000+of.batch, start, end, 200+of.year%100, of.country, of.scope(), of.project, of.year, of.year)
	case goldStandard:
		return fmt.Sprintf("GS1-1-%s-GS%s-%d-%d-%d-%d-%d", of.country, of.project, of.scope(), of.year, 30_000+of.batch, start, end)
	case acr:
		return fmt.Sprintf("ACR-%s-%s-%d-%d-%d to %d", of.country, of.project, of.year, 2_900+of.batch, start, end)
	case car:
		return fmt.Sprintf("CAR-1-%s-%s-31-983-KS-%d-%d-%d to %d", of.country, of.project, of.year, 9_200+of.batch, start, end)
	case art:
		return fmt.Sprintf("ART-%s-%s-%d-%d-%d to %d", of.country, of.project, of.year, of.batch, start, end)
	case puro:
		return fmt.Sprintf("PURO_PR_CORC100+_%s_%s_%d_%s_%d-%d", of.country, of.project, of.year, of.uuid(), start, end)
	}
	return strconv.FormatInt(start, 10) + "-" + strconv.FormatInt(end, 10)
}

// scope is the number of the sector that the project works in.
func (of issuance) scope() int {
	switch of.kind {
	case "Wind", "Solar", "Hydro", "Geothermal":
		return 1
	case "Cookstoves":
		return 3
	case "Landfill Gas", "Biogas":
		return 13
	}
	return 14
}

// uuid names an issuance of the Puro registry, the same one every time.
func (of issuance) uuid() string {
	sum := sha256.Sum256(fmt.Append(nil, of.project, of.year, of.batch))
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}
