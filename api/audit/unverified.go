package audit

import "strings"

// Unverified is data of a pack that VerifyPack compares with nothing, because nothing else in the
// pack has it. A reader relies on the author of the pack for it.
type Unverified struct {
	// What is a phrase.
	What string
	// columns are columns of the evidence. members are members of the JSON files of a pack, such as
	// manifest.service, with answer for the API responses.
	columns, members []string
}

// UnverifiedData has all data that VerifyPack does not verify.
var UnverifiedData = [...]Unverified{
	{
		"the address of the marketplace, the version of tonne, and which requests were left out and why",
		[]string{"left_out"},
		[]string{"manifest.service", "manifest.version", "manifest.left_out", "manifest.tax_ids_in_answers"},
	},
	{
		"in the responses: the times of items, whether it was for a customer, and members that tonne does not know",
		nil, []string{"answer.retirement_request_items.created_at", "answer.should_retire_external_customer",
			"answer.unknown_member"},
	},
	{"the characters of tax ids that the evidence masks", nil, []string{"answer.retirement_request_items.retiree_tax_id"}},
	{
		"projects: name, type, country, registry, pages, and the years of vintages",
		[]string{"project_name", "project_type", "country", "registry", "registry_project_id", "registry_project_url",
			"vintage_year", "registry_page"}, nil,
	},
	{
		"the checks of vintages, certificates and the ledger, and the details of all checks",
		[]string{checkPrefix + "serials_match_vintage", checkPrefix + CertificateOnFile, checkPrefix + CertificateAgrees,
			checkPrefix + SerialsRetiredOnce}, nil,
	},
	{"when a certificate was fetched, and what it says", []string{"certificate_fetched_at"}, nil},
	{
		"what users entered: attributes, labels, verifiers, and what they saw in a registry",
		[]string{"methodology", "ccp_corsia_labels", "claim_period", "removal", "article6", "verifier", "attribute_sources",
			"seen_on_registry"}, nil,
	},
	{
		"the journal: calls, references, who made them and when, and costs",
		[]string{
			"call_external_ids", "call_references", "call_quantities_grams", "call_grams_in_request", "call_costs_cents",
			"call_made_by", "call_made_at",
			"reference", "cost_cents", "cost_basis",
		},
		[]string{"manifest.journal"},
	},
	{
		"the inventory of that day: what requests cost by it",
		[]string{"retired_cost_cents", "retired_cost_lots"}, nil,
	},
	{
		"of a closed month: its name, what was bought and invoiced, what requests wait for, and notes",
		nil, []string{
			"close.month", "close.sums.retired_grams", "close.sums.bought_grams", "close.sums.bought_cents",
			"close.sums.without_invoice_grams",
			"close.sums.without_invoice_items", "close.invoices", "close.unknown", "close.notes", "close.requests.waits_for",
		},
	},
}

// packReadme is the file README.txt of a pack.
func packReadme() []byte {
	var list strings.Builder
	for _, data := range UnverifiedData {
		line := "  -"
		for word := range strings.FieldsSeq(data.What) {
			const width = 78
			if len(line)+1+len(word) > width {
				list.WriteString(line + "\n")
				line = "   "
			}
			line += " " + word
		}
		list.WriteString(line + "\n")
	}
	return []byte(strings.Replace(readmeText, "{unverified}\n", list.String(), 1))
}
