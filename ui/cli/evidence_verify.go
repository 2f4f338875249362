package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"tonne/model"
	"tonne/ui/cli/evidence"
	"tonne/ui/cli/output"
)

func (a *app) evidenceCommand() *cobra.Command {
	cmd := a.group("evidence", "Verify evidence packs", "  tonne evidence verify q3.zip", a.evidenceVerifyCommand())
	cmd.Long = "Verifies the packs that `tonne retirement --pack` and `tonne ledger close --pack` write: the\n" +
		"evidence, the certificates and the answers of the service, with the hash of each."
	return cmd
}

func (a *app) evidenceVerifyCommand() *cobra.Command {
	var format output.Format
	cmd := &cobra.Command{
		Use:   "verify FILE.zip",
		Short: "Check that an evidence pack is what it was when it was made",
		Long: "Holds every file of a pack against its hash, and the hashes against their signature if there\n" +
			"is one. Makes of each answer of the service anew what the evidence has of it (quantities,\n" +
			"serial numbers, beneficiaries, dates, and the checks of the answer alone), and holds the\n" +
			"evidence against that, its three formats against each other, the checks against the doubts\n" +
			"and the certificates against the hashes that it names; the files of a month that was closed\n" +
			"against each other, the answers and the doubts. The exit status is 1 if anything is\n" +
			"not what it was. Nothing is asked of any service.\n\n" +
			"What stands in no answer is held against nothing: names and years of projects, the checks of\n" +
			"the certificates and of the ledger, what people told, the journal, when a certificate was\n" +
			"fetched, what was bought in a month. It is what whoever made the pack says. Files of a month\n" +
			"that were left out of a pack all together are not missed, unless it was signed.\n\n" +
			"The signature says which key signed; whose key that is, nobody but its owner can tell. A pack\n" +
			"that nobody signed proves only that it agrees with itself: whoever alters it can make it so.",
		Example: "  tonne evidence verify q3.zip\n  tonne evidence verify q3.zip -o json",
		Args:    cobra.ExactArgs(1),
		RunE: do(func(_ context.Context, _ *cobra.Command, args []string) error {
			return a.verifyPack(args[0], format)
		}),
	}
	outputFlag(cmd, &format)
	return a.describe(cmd, description{
		effect:    reads,
		arguments: []argument{{Name: "FILE.zip", Description: "the pack", Required: true}},
		outputs:   []outputForm{objectForm[verifiedJSON]("", output.JSON), rowForm("", verifyHeader, output.JSONL, output.CSV)},
	})
}

const verifyHeader = "file,files,requests,left_out,doubts,signer"

// verifyPack prints what a pack holds that is as it was.
func (a *app) verifyPack(path string, format output.Format) error {
	v, err := evidence.VerifyPack(path, buildVersion().Version)
	var wrong *evidence.PackError
	switch {
	case errors.As(err, &wrong) && wrong.Refused:
		return failed("ask whoever made the pack for it anew", "%s is not an evidence pack that can be trusted: %v", path, wrong)
	case errors.As(err, &wrong):
		return failed("ask whoever made the pack for it anew; do not rely on this one", "%s is not what it was: %s", path, someOf(wrong.Wrong))
	case err != nil:
		return err
	}
	row := []output.Value{
		output.Text(path), output.Number(v.Files), output.Number(v.Requests), output.Number(v.LeftOut), output.Number(v.Doubts), output.Optional(v.Signer),
	}
	return a.print(format, formats{
		document: func() error {
			return output.Object(a.data(), verifiedJSON{path, v.Files, v.Requests, v.LeftOut, v.Doubts, row[5]})
		},
		header: verifyHeader,
		rows:   func(rows output.Rows) { rows.Write(row...) },
		table:  func() *output.Grid { return verifiedTable(path, v) },
	})
}

// someOf lists phrases, of many the first.
func someOf(phrases []string) string {
	return model.SomeOf(phrases, mostTold, "; ")
}

type verifiedJSON struct {
	File     string       `json:"file"`
	Files    int          `json:"files"`
	Requests int          `json:"requests"`
	LeftOut  int          `json:"left_out"`
	Doubts   int          `json:"doubts"`
	Signer   output.Value `json:"signer"`
}

func verifiedTable(path string, v evidence.Verified) *output.Grid {
	grid := output.NewGrid(output.Column{}, output.Column{})
	grid.Add("Pack", path)
	files, signer := "each as it was signed", "by the key "+v.Signer
	if v.Signer == "" {
		files, signer = "each as the pack lists it", "by nobody: the pack agrees with itself, and proves no more"
	}
	grid.Add("Files", fmt.Sprintf("%d, %s", v.Files, files))
	grid.Add("Requests", fmt.Sprint(v.Requests))
	if v.LeftOut > 0 {
		grid.Add("Left out", fmt.Sprintf("%d, see left_out in manifest.json", v.LeftOut))
	}
	if v.Doubts > 0 {
		grid.Add("Doubts", fmt.Sprintf("%d, see doubts in manifest.json", v.Doubts))
	}
	grid.Add("Signed", signer)
	held := "what stands in no answer: project names and years, checks of certificates and ledger, what people told, the journal, what was bought"
	if v.OtherVersion {
		held += "; checks, which another version of tonne made"
	}
	grid.Add("Not held", held)
	return grid
}
