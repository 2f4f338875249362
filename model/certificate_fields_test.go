package model_test

import (
	"strings"
	"testing"

	"tonne/model"
)

// Two ranges of one block.
const (
	firstRange  = "19334-1001-3885-VCS-VCU-576-VER-US-14-4268-01062024-31122024-1"
	secondRange = "19334-3886-6000-VCS-VCU-576-VER-US-14-4268-01062024-31122024-1"
)

// printed is a certificate as our marketplace prints it.
const printed = `Certificate of retirement
5,000 t
retired on 6 August 2026 (UTC) in the name of Your Customer Ltd
Retirement
Beneficiary Your Customer Ltd
Quantity 5,000 t (5,000,000,000 g)
Retired at 6 August 2026, 11:46:00 UTC
Requested at 5 August 2026, 11:46:00 UTC
Request 00m1
Credits
Country US
Serial numbers
` + firstRange + ` 2,885 t
` + secondRange + ` 2,115 t
Calls that made the request
00m1i 2026-08-05 11:46:00 UTC
Your Customer Ltd · tax id SE5560123456 · SE · invoice INV-1 ·
trade 00t1
5,000 t
page 1 of 1`

func printedAnswer() model.Retirement {
	r := retirementOf("00m1", "003a", "004a", "2026-08-06", firstRange, "Your Customer Ltd", 5000e6)
	r.SerialNumbers = append(r.SerialNumbers, secondRange)
	r.Items[0].RetireeTaxID, r.Items[0].RetireeCountry = "SE5560123456", "SE"
	return r
}

func TestWholeValuesOfACertificateAreCompared(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*model.Retirement)
		want   model.Result
		detail string
	}{
		"the same":             {func(*model.Retirement) {}, model.Pass, "quantity, beneficiaries, serial numbers, date, tax ids and countries"},
		"a part of it":         {func(r *model.Retirement) { r.TotalQuantity, r.SerialNumbers = 2885e6, r.SerialNumbers[:1] }, model.Fail, "the quantity 2,885 t"},
		"a serial number less": {func(r *model.Retirement) { r.SerialNumbers = r.SerialNumbers[:1] }, model.Fail, "serial numbers that the answer lacks"},
		"a word of the name":   {func(r *model.Retirement) { r.Items[0].RetireeName = "Customer" }, model.Fail, "the beneficiary Customer"},
		"a letter of the name": {func(r *model.Retirement) { r.Items[0].RetireeName = "t" }, model.Fail, "the beneficiary t"},
		"another day of it":    {func(r *model.Retirement) { r.RetiredAt = onDay("2026-08-05") }, model.Fail, "the date 2026-08-05"},
		"another tax id":       {func(r *model.Retirement) { r.Items[0].RetireeTaxID = "SE5560129999" }, model.Fail, "the tax id •••••9999"},
		"a part of a tax id":   {func(r *model.Retirement) { r.Items[0].RetireeTaxID = "5560123456" }, model.Fail, "the tax id •••••3456"},
		"another country":      {func(r *model.Retirement) { r.Items[0].RetireeCountry = "US" }, model.Fail, "the country US of a beneficiary"},
		"no day":               {func(r *model.Retirement) { r.RetiredAt = model.Timestamp{} }, model.NotCheckable, "the answer has no date; its text has the same quantity, beneficiaries, serial numbers, tax ids and countries"},
		"no name":              {func(r *model.Retirement) { r.Items[0].RetireeName = "" }, model.NotCheckable, "the answer has no beneficiary; its text has the same quantity, "},
		"no serial numbers":    {func(r *model.Retirement) { r.SerialNumbers = nil }, model.NotCheckable, "the answer has no serial numbers; "},
		"no quantity":          {func(r *model.Retirement) { r.TotalQuantity = 0 }, model.NotCheckable, "the answer has no quantity; "},
	} {
		r := printedAnswer()
		c.change(&r)
		got := model.CheckCertificateAgrees(r, model.CertificateText{Lines: strings.Split(printed, "\n")})
		if got.Result != c.want || !strings.Contains(got.Detail, c.detail) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestALabelledListOfBeneficiariesIsThatOfTheAnswer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value string
		names []string
		want  model.Result
	}{
		{"Ann Ltd, Bo", []string{"Ann Ltd", "Bo"}, model.Pass},
		{"Ann Ltd,\nBo", []string{"Bo", "Ann Ltd"}, model.Pass},
		{"Ann\nLtd", []string{"Ann Ltd"}, model.Pass},
		{"Ann\nLtd", []string{"Ann"}, model.Fail},
		{"Ann, Inc.", []string{"Ann, Inc."}, model.Pass},
		{"Ann, Inc.", []string{"Ann"}, model.NotCheckable},
		{"Ann Ltd, Bo", []string{"Bo"}, model.NotCheckable},
		{"Ann and\nProject Bo Ltd", []string{"Ann and Project Bo Ltd"}, model.NotCheckable},
		{"not named", []string{""}, model.Pass},
		{"not named", []string{"Ann"}, model.Fail},
	} {
		r := printedAnswer()
		r.Items = nil
		for _, name := range c.names {
			r.Items = append(r.Items, model.RetirementItem{RetireeName: name})
		}
		text := strings.ReplaceAll(printed, "Beneficiary Your Customer Ltd", "Beneficiary "+c.value)
		if got := model.CheckCertificateAgrees(r, model.CertificateText{Lines: strings.Split(text, "\n")}); got.Result != c.want {
			t.Errorf("%q for %q: %+v", c.value, c.names, got)
		}
	}
}
