// Package evidence implements the command `tonne evidence`: it verifies packs offline. The
// checks are in package api/audit.
package evidence

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tonne/api/audit"
	"tonne/model/field"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/listing"
	"tonne/ui/output"
)

// Command returns `tonne evidence`.
func Command(a *command.App) *cobra.Command {
	cmd := a.Group("evidence", "Verify evidence packs", "  tonne evidence verify q3.zip", verifyCommand(a))
	cmd.Long = "Verifies the packs that `tonne retirement --pack` and `tonne ledger close --pack` write: the\n" +
		"evidence, the certificates and the answers of the service, with the hash of each."
	return cmd
}

func verifyCommand(a *command.App) *cobra.Command {
	var format output.Format
	var signer string
	var required audit.Required
	cmd := &cobra.Command{
		Use:   "verify FILE.zip|DIRECTORY",
		Short: "Check that an evidence pack is unchanged and who signed it",
		Long: "Checks every file of a pack against its hash, and the hashes against their signature. The pack is\n" +
			"a zip file, or the directory of an unpacked one. Then it compares, without the network:\n" +
			"  - the evidence with the saved answers of the service: quantities, serial numbers,\n" +
			"    beneficiaries, dates, and the checks of the answer alone\n" +
			"  - the CSV, JSON and XLSX files of the evidence with each other\n" +
			"  - the checks with the manifest, and the certificates with their hashes in the evidence\n" +
			"  - the files of a closed month with each other, the answers and the manifest\n" +
			"A workbook must have the same bytes as the one that tonne writes for the same data. The exit\n" +
			"status is 1 if anything differs.\n\n" +
			"For this data you rely on the author of the pack, because nothing else in the pack has it:\n" +
			unverifiedList() + "\n" +
			"Directories and the files of other programs, such as .DS_Store and __MACOSX, are ignored and\n" +
			"named. A file that the pack lists is verified, whatever its name.\n\n" +
			"An unsigned pack does not show whether all files of a month were removed.\n\n" +
			"An unsigned pack proves only that it is consistent: anyone who alters it can write new\n" +
			"hashes. A signature proves which key signed. --signer requires the key of a person you know.",
		Example: "  tonne evidence verify q3.zip\n  tonne evidence verify q3/\n  tonne evidence verify q3.zip --signer " +
			"SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU\n" +
			"  tonne evidence verify q3.zip --signer allowed_signers -o json",
		RunE: command.Do(func(_ context.Context, cmd *cobra.Command, args []string) (err error) {
			if cmd.Flags().Changed("signer") {
				if required.Signers, err = signers(signer, a.Now()); err != nil {
					return err
				}
			}
			return verifyPack(a, args[0], format, required)
		}),
	}
	command.OutputFlag(cmd, &format)
	cmd.Flags().StringVar(&signer, "signer", "",
		"require a signature by `KEY`: a public key, a fingerprint (SHA256:...) or an allowed_signers file")
	cmd.Flags().BoolVar(&required.Signature, "require-signature", false, "require a signature by any key")
	return a.Describe(cmd, command.Description{
		Effect: command.Reads,
		Arguments: []command.Argument{{Name: "FILE.zip|DIRECTORY",
			Description: "the pack, or the directory into which it was unpacked", Required: true}},
		Outputs: []command.OutputForm{{Formats: []output.Format{output.JSON, output.JSONL},
			Fields: verifiedColumns.Fields("")}, command.RowForm("", verifiedColumns.RowFields(), output.CSV)},
	})
}

func unverifiedList() string {
	var list strings.Builder
	for _, data := range audit.UnverifiedData {
		line := "  - " + data.What
		if at := strings.LastIndexByte(line[:min(len(line), 94)], ' '); len(line) > 94 {
			line = line[:at] + "\n    " + line[at+1:]
		}
		list.WriteString(line + "\n")
	}
	return list.String()
}

type verified struct {
	audit.Verified
	path string
}

var verifiedColumns = field.Columns[verified]{
	{Name: "file", Is: "string", Value: func(v verified) field.Value { return field.Text(v.path) }},
	{Name: "files", Is: "number", Value: func(v verified) field.Value { return field.Number(v.Files) }},
	{Name: "requests", Is: "number", Value: func(v verified) field.Value { return field.Number(v.Requests) }},
	{Name: "left_out", Is: "number", Value: func(v verified) field.Value { return field.Number(v.LeftOut) }},
	{Name: "doubts", Is: "number", Value: func(v verified) field.Value { return field.Number(v.Doubts) }},
	{Name: "signer", Value: func(v verified) field.Value { return field.Optional(v.Signer) }},
	{Name: "origin", Is: "string", Value: func(v verified) field.Value { return field.Text(v.origin()) }},
	{Name: "ignored", Is: "array", Value: func(v verified) field.Value { return field.Texts(v.Ignored) }},
}

func verifyPack(a *command.App, path string, format output.Format, required audit.Required) error {
	v, err := audit.VerifyPack(path, command.BuildVersion().Version, required)
	var wrong *audit.PackError
	switch {
	case errors.As(err, new(*audit.SignerError)):
		return command.Failed("ask the issuer for a pack that is signed with the required key", "%s is %v", path, err)
	case errors.As(err, &wrong) && wrong.Unread:
		return command.Failed("unpack it with another program, then verify the directory", "%s cannot be read: %v", path,
			wrong)
	case errors.As(err, &wrong) && wrong.Refused:
		return command.Failed("ask the issuer for a new copy", "%s is not an evidence pack that can be trusted: %v", path,
			wrong)
	case errors.As(err, &wrong):
		return command.Failed("ask the issuer for a new copy; do not rely on this one", "%s has been modified: %s", path,
			filing.SomeOf(wrong.Wrong))
	case err != nil:
		return err
	}
	pack := verified{v, path}
	in := listing.NewFormats(a, verifiedColumns, slices.Values([]verified{pack}))
	in.Document = func() error { return output.Object(a.Data(), verifiedColumns.JSON(pack)) }
	in.Tables = func(iter.Seq[verified]) []*output.Grid { return []*output.Grid{verifiedTable(pack)} }
	return in.Print(format)
}

func (v verified) origin() string {
	if v.Signer == "" {
		return audit.Unsigned
	}
	return "signed by the key " + v.Signer
}

func verifiedTable(v verified) *output.Grid {
	grid := output.NewGrid(output.Heading{}, output.Heading{})
	grid.Add("Origin", v.origin())
	grid.Add("Pack", v.path)
	grid.Add("Files", fmt.Sprintf("%d, each matches its hash", v.Files))
	grid.Add("Requests", fmt.Sprint(v.Requests))
	if v.LeftOut > 0 {
		grid.Add("Left out", fmt.Sprintf("%d, see left_out in manifest.json", v.LeftOut))
	}
	if v.Doubts > 0 {
		grid.Add("Doubts", fmt.Sprintf("%d, see doubts in manifest.json", v.Doubts))
	}
	if n := len(v.Ignored); n > 0 {
		grid.Add("Ignored", fmt.Sprintf("%d, not of the pack: %s", n, filing.SomeOf(v.Ignored)))
	}
	label := "Not verified"
	for _, data := range audit.UnverifiedData {
		grid.Add(label, data.What)
		label = ""
	}
	if v.OtherVersion {
		grid.Add("", "all checks, which another version of tonne made")
	}
	return grid
}
