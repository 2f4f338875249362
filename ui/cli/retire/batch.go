package retire

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tonne/api/audit"
	"tonne/api/retire"
	"tonne/api/wire"
	"tonne/model"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/output"
)

const batchHeader = "reference,vintage_id,quantity_grams,sell_order_id,max_price_cents,customer_name,customer_tax_id,customer_country,customer_id"

// needed is how many columns of a batch must be there.
const needed = 3

// longestBatch is the longest batch that is read, in bytes.
const longestBatch = 64 << 20

// readBatch reads the lines of the file, all or none. What a tonne may cost at
// most holds for each line that does not say less.
func (r *run) readBatch(mostPrice model.PriceCents) error {
	if err := r.checkBatchFlags(); err != nil {
		return err
	}
	file, err := os.Open(r.file)
	if err != nil {
		return err
	}
	defer file.Close()
	r.Batch = filepath.Base(r.file)
	hash := sha256.New()
	in := &io.LimitedReader{R: file, N: longestBatch + 1}
	lines, wrong := readLines(io.TeeReader(in, hash))
	if in.N == 0 {
		return command.Usage("split it into files of their own, with lines and references of their own", "%s is longer than %d MiB; nothing was sent", r.file, longestBatch>>20)
	}
	r.batchHash = hex.EncodeToString(hash.Sum(nil))
	if len(wrong) > 0 {
		return command.Usage("correct the file; nothing was sent", "%s: %s", r.file, filing.SomeOf(wrong))
	}
	if len(lines) == 0 {
		return command.Usage("give it a line for each retirement", "%s has nothing to retire", r.file)
	}
	for _, line := range lines {
		if mostPrice.Known() && (!line.MaxPrice.Known() || mostPrice < line.MaxPrice) {
			line.MaxPrice = mostPrice
		}
	}
	r.Lines = lines
	return nil
}

func (r *run) checkBatchFlags() error {
	for flag, text := range map[string]string{
		"--vintage": r.vintage, "--tonnes": r.tonnes, "--grams": r.grams, "--order": r.order, "--reference": r.reference,
		"--customer": r.customer.Name, "--tax-id": r.customer.TaxID, "--country": r.customer.Country, "--customer-id": r.customer.ID,
	} {
		if text != "" {
			return command.Usage("leave it out: the lines of the file say it", "%s is given beside --file", flag)
		}
	}
	if r.results == "" {
		if r.dryRun {
			return nil
		}
		return command.Usage("add --results FILE.csv, which tells what became of each line", "--results is missing")
	}
	in, err := os.Stat(r.file)
	if err == nil && !in.Mode().IsRegular() && !r.dryRun {
		return command.Usage("write it to a file first: a batch is known by the name of its file", "%s is no file that stays", r.file)
	}
	beside := audit.JournalPath(r.results)
	for _, path := range []string{r.results, beside, audit.ManifestPath(beside)} {
		out, missing := os.Stat(path)
		if err == nil && missing == nil && (os.SameFile(in, out) || !out.Mode().IsRegular()) {
			return command.Usage("name another file with --results", "%s is the batch, or no file", path)
		}
	}
	if audit.CheckPlace(r.results) != nil {
		return command.Usage("name a file in a folder that is there and that you may write to", "--results %s cannot be written", r.results)
	}
	return nil
}

func readLines(r io.Reader) (lines []*retire.Line, wrong []string) {
	in := command.NewCSV(r)
	in.ReuseRecord = true
	header, err := in.Read()
	columns, known := batchColumns(header)
	if err != nil || !known {
		return nil, []string{"the first line is not " + batchHeader + wrongHeader(header)}
	}
	read := func(cells []string) (*retire.Line, error) { return lineFrom(columns, cells) }
	return command.LinesBelow(in, read, func(l *retire.Line) string { return l.Reference }, "line %d has the reference of line %d")
}

func batchColumns(header []string) (columns []int, known bool) {
	names := strings.Split(batchHeader, ",")
	for _, name := range header {
		at := slices.Index(names, strings.ToLower(strings.TrimSpace(name)))
		if at < 0 || slices.Contains(columns, at) {
			return nil, false
		}
		columns = append(columns, at)
	}
	for n := range needed {
		if !slices.Contains(columns, n) {
			return nil, false
		}
	}
	return columns, true
}

func wrongHeader(header []string) string {
	for _, mark := range []string{";", "\t"} {
		if len(header) == 1 && strings.Contains(header[0], mark) {
			return fmt.Sprintf("; its cells are separated by %q, and must be by \",\"", mark)
		}
	}
	names := strings.Split(batchHeader, ",")
	for _, name := range header {
		if name = strings.TrimSpace(name); !slices.Contains(names, strings.ToLower(name)) {
			return fmt.Sprintf("; %q is none of them", wire.Clean(name))
		}
	}
	return ""
}

// unguarded is a cell without the apostrophe that keeps a spreadsheet from
// taking it for a formula. Other texts begin with one of their own.
func unguarded(text string) string {
	if bare, cut := strings.CutPrefix(text, "'"); cut && output.Cell(bare) == text {
		return bare
	}
	return text
}

func lineFrom(columns []int, cells []string) (line *retire.Line, err error) {
	line = &retire.Line{MaxPrice: model.UnknownPrice}
	var cell [9]string
	for i, text := range cells {
		cell[columns[i]] = strings.Clone(strings.TrimSpace(unguarded(text)))
	}
	line.Reference = cell[0]
	line.Request = model.RetireRequest{
		VintageID: cell[1], SellOrderID: cell[3],
		Retiree: model.Retiree{Name: cell[5], TaxID: cell[6], Country: cell[7], ID: cell[8]},
	}
	if line.Reference == "" {
		return line, errors.New("the reference is missing")
	}
	if line.Request.Quantity, err = model.ParseGrams(cell[2]); err != nil {
		return line, fmt.Errorf("the quantity %q is no number of grams", cell[2])
	}
	if cell[4] != "" {
		n, err := model.ParseDigits(cell[4])
		if err != nil {
			return line, fmt.Errorf("the price %q is no number of cents", cell[4])
		}
		line.MaxPrice = model.PriceCents(n)
	}
	return line, retire.Check(line.Reference, line.Request)
}

// doubtTaxIDs warns of tax ids that may be mistyped: what is sent cannot be
// taken back.
func (r *run) doubtTaxIDs() {
	var doubts []string
	for _, l := range r.Lines {
		doubt := retire.TaxIDDoubt(l.Request.Retiree.TaxID)
		switch {
		case doubt != "" && r.Batch != "":
			doubts = append(doubts, l.Reference+": the tax id "+doubt)
		case doubt != "":
			doubts = append(doubts, "the tax id "+doubt)
		}
	}
	if len(doubts) > 0 {
		r.Warn("%s; it is sent as it stands", filing.SomeOf(doubts))
	}
}
