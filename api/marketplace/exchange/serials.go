package exchange

import (
	"crypto/sha256"
	"fmt"
	"strconv"
)

// The registries whose serial numbers the exchange can write.
const (
	Verra        = "VERRA"
	GoldStandard = "GOLD STANDARD"
	ACR          = "ACR"
	CAR          = "CAR"
	ART          = "ART"
	Puro         = "PURO"
)

// Issuance is what a registry has issued of a vintage.
type Issuance struct {
	// Project is the project's number in the registry.
	Registry, Project, Country, Kind string
	Year                             int
	// Next is the first serial number that is not retired, BatchSize how many
	// of them the registry issues at a time.
	Next, BatchSize int64
}

// SerialRange is a range of serial numbers, one for each tonne.
type SerialRange struct {
	Serial string
	Tonnes int64
}

type serials interface {
	Issuance(vintage int64) (Issuance, error)
	// SetNextSerial says which serial number of a vintage is the next.
	SetNextSerial(vintage, next int64) error
	AddSerials(r Request, ranges []SerialRange) error
	// RetiredSerials are the serial numbers of all requests that retired
	// credits of the vintage's project.
	RetiredSerials(vintage int64) ([]string, error)
	// IsRetired reports whether any request has the serial number.
	IsRetired(serial string) (bool, error)
	// KeepCertificate keeps the registry's own certificate of a request.
	KeepCertificate(r Request, pdf []byte) error
}

func (c *Change) assignSerials(r Request) error {
	of, err := c.Issuance(r.Vintage)
	if err != nil {
		return err
	}
	if err := c.AddSerials(r, of.take(r.Total.Tonnes())); err != nil {
		return err
	}
	return c.SetNextSerial(r.Vintage, of.Next)
}

// take returns the next serial numbers. A range ends where the registry's
// batch does, so that there may be several.
func (of *Issuance) take(tonnes int64) []SerialRange {
	var ranges []SerialRange
	for tonnes > 0 {
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
		return fmt.Sprintf("%d-%d-%d-VCS-VCU-%d-VER-%s-%d-%s-0101%04d-3112%04d-0",
			10_000+batch, start, end, 200+of.Year%100, of.Country, of.scope(), of.Project, of.Year, of.Year)
	case GoldStandard:
		return fmt.Sprintf("GS1-1-%s-GS%s-%d-%d-%d-%d-%d", of.Country, of.Project, of.scope(), of.Year, 30_000+batch, start, end)
	case ACR:
		return fmt.Sprintf("ACR-%s-%s-%d-%d-%d to %d", of.Country, of.Project, of.Year, 2_900+batch, start, end)
	case CAR:
		return fmt.Sprintf("CAR-1-%s-%s-31-983-KS-%d-%d-%d to %d", of.Country, of.Project, of.Year, 9_200+batch, start, end)
	case ART:
		return fmt.Sprintf("ART-%s-%s-%d-%d-%d to %d", of.Country, of.Project, of.Year, batch, start, end)
	case Puro:
		return fmt.Sprintf("PURO_PR_CORC100+_%s_%s_%d_%s_%d-%d", of.Country, of.Project, of.Year, of.uuid(batch), start, end)
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

// uuid names an issuance of the Puro registry, the same one every time.
func (of Issuance) uuid(batch int64) string {
	sum := sha256.Sum256(fmt.Append(nil, of.Project, of.Year, batch))
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}
