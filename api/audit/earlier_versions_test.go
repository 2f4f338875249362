package audit

import "testing"

// Earlier versions wrote the packs in testdata, with every kind of file. All later
// versions must accept them.
func TestPacksOfEarlierVersionsVerify(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]Verified{
		"testdata/evidence.zip": {Files: 9, Requests: 3, LeftOut: 1, Doubts: 1},
		"testdata/month.zip":    {Files: 16, Requests: 4, Doubts: 10, Signer: "SHA256:tAXFyTXI8xtDaujAEcwJslAYc9/6FKcUkd2Lw0xDhPo"},
	} {
		want.OtherVersion = true
		if v, err := VerifyPack(path, "v2", Required{}); err != nil || v != want {
			t.Errorf("%s: %+v (%v), want %+v", path, v, err, want)
		}
	}
}
