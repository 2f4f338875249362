package basket

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"tonne/api/audit"
	"tonne/model"
	"tonne/model/basket"
	"tonne/model/localfile"
	"tonne/ui/cli/command"
	"tonne/ui/output"
)

// checkBatch refuses, before any request, a batch that could not be written.
func (b *run) checkBatch() error {
	switch {
	case b.batch == "" && b.reference != "":
		return command.Usage("add --batch FILE.csv, or leave it out", "--reference is given without --batch")
	case b.batch == "":
		return nil
	case strings.TrimSpace(b.reference) == "":
		return command.Usage("add --reference, such as --reference Q4; the lines become Q4-1, Q4-2 and so on", "--reference is missing")
	}
	if _, err := os.Lstat(b.batch); !errors.Is(err, fs.ErrNotExist) {
		return command.Failed("name a new file", "%s already exists", b.batch)
	}
	return audit.CheckPlace(b.batch)
}

func (b *run) writeBatch(found basket.Basket) error {
	if b.batch == "" || len(found.Lines) == 0 {
		return nil
	}
	var content bytes.Buffer
	w := csv.NewWriter(&content)
	_ = w.Write([]string{"reference", "vintage_id", "quantity_grams", "sell_order_id", "max_price_cents"})
	for i, line := range found.Lines {
		grams, err := model.WholeTonnes(line.Tonnes)
		if err != nil {
			return fmt.Errorf("%s was not written: %w", b.batch, err)
		}
		_ = w.Write([]string{
			output.Cell(b.reference + "-" + strconv.Itoa(i+1)), output.Cell(line.Vintage.VintageID), grams.String(),
			output.Cell(line.Order.ID), line.Order.Price.String(),
		})
	}
	w.Flush()
	if err := (localfile.Machine{}).Create(b.batch, content.Bytes()); err != nil {
		return &fs.PathError{Op: "write", Path: b.batch, Err: err}
	}
	b.app.Note(command.Notice{
		Code:    command.SavedCode,
		Message: fmt.Sprintf("wrote %s to %s; check the plan with `tonne retire --file %s --dry-run`", model.Count(len(found.Lines), "line", "lines"), b.batch, b.batch),
	})
	return nil
}
