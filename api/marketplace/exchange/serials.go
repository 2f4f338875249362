package exchange

import (
	"crypto/sha256"
	"fmt"
	"strconv"

	"tonne/model/retirement"
)

// Registries with a known format of serial numbers.
const (
	Verra        = "VERRA"
	GoldStandard = "GOLD STANDARD"
	ACR          = "ACR"
	CAR          = "CAR"
	ART          = "ART"
	Puro         = "PURO"
)

// Issuance is the state of a registry's serial numbers of a vintage.
type Issuance struct {
	// Project is the project's number in the registry.
	Registry, Project, Country, Kind string
	Year                             int
	// Next is the first serial number that is not retired.
	Next, BatchSize int64
}

// SerialRange is a range of serial numbers, one per tonne.
type SerialRange struct {
	Serial string
	Tonnes int64
}

func issuance(c *Change, vintage int64) Issuance {
	return one(c, `SELECT r.name, p.registry_number, p.country, p.type, v.year, v.next_serial, v.serial_batch
		FROM vintages v JOIN projects p ON p.number = v.project JOIN registries r ON r.number = p.registry
		WHERE v.number = $1`, func(row Row) Issuance {
		return Issuance{
			Registry: row.Text(0), Project: row.Text(1), Country: row.Text(2), Kind: row.Text(3), Year: int(row.Int64(4)),
			Next: row.Int64(5), BatchSize: row.Int64(6),
		}
	}, vintage)
}

// take splits the ranges at the boundaries of the registry's batches.
func (of *Issuance) take(tonnes int64) []SerialRange {
	var ranges []SerialRange
	// The batch size is 0 only if reading the vintage failed.
	for tonnes > 0 && of.BatchSize > 0 {
		batch := (of.Next-1)/of.BatchSize + 1
		count := min(tonnes, batch*of.BatchSize-of.Next+1)
		ranges = append(ranges, SerialRange{of.serial(batch, of.Next, of.Next+count-1), count})
		of.Next, tonnes = of.Next+count, tonnes-count
	}
	return ranges
}

func (of Issuance) serial(batch, start, end int64) string {
	switch of.Registry {
	case Verra:
		from, to := fmt.Sprintf("0101%04d", of.Year), fmt.Sprintf("3112%04d", of.Year)
		return retirement.WriteSerial(retirement.Verra, 10_000+batch, start, end, 200+of.Year%100, "VER", of.Country,
			of.scope(), of.Project, from, to, 0)
	case GoldStandard:
		return retirement.WriteSerial(retirement.GoldStandard, 1, of.Country, of.Project, of.scope(), of.Year, 30_000+batch,
			start, end)
	case ACR:
		return retirement.WriteSerial(retirement.ACR, of.Country, of.Project, of.Year, 2_900+batch, start, end)
	case CAR:
		return retirement.WriteSerial(retirement.CAR, 1, of.Country, of.Project, 31, 983, "KS", of.Year, 9_200+batch, start,
			end)
	case ART:
		return retirement.WriteSerial(retirement.ART, of.Country, of.Project, of.Year, batch, start, end)
	case Puro:
		return retirement.WriteSerial(retirement.Puro, "CORC100+", of.Country, of.Project, of.Year, of.uuid(batch), start,
			end)
	}
	return strconv.FormatInt(start, 10) + "-" + strconv.FormatInt(end, 10)
}

func (of Issuance) scope() int {
	switch of.Kind {
	case "Wind", "Solar", "Hydro", "Geothermal":
		return 1
	case "Cookstoves":
		return 3
	case "Landfill Gas", "Biogas":
		return 13
	}
	return 14
}

func (of Issuance) uuid(batch int64) string {
	sum := sha256.Sum256(fmt.Append(nil, of.Project, of.Year, batch))
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}
