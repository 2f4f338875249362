package pdf

import (
	"crypto/sha256"
	"fmt"
	"testing"

	must "tonne/model/musttest"
)

// The service prints a certificate at each download, and users keep its hash. If this test
// fails, let Print choose the old way for certificates with an earlier RetiredAt.
func TestIssuedCertificatesKeepTheirBytes(t *testing.T) {
	for synthetic, want := range map[bool]string{false: "8a99c46ee10b486c9b7210898ecc2b9bbf3a9bd460366c7e5ccbadb8f133982d",
		true: "2a38c359c4533a7f782017a57e019f9615708337421966f4e5a79463b0a52ac8"} {
		c := example(3, 2)
		c.VintageYear, c.RegistryProject, c.Synthetic = 2021, "1340", synthetic
		c.Project.RegistryURL, c.Project.RegistryID = "https://registry.verra.org/app/projectDetail/VCS/1340", "VCS"
		item := &c.Retirement.Items[1]
		item.RetireeTaxID, item.RetireeCountry, item.InvoiceID, item.TradeID = "GB 123 456 789", "GB", "00i1", "00t1"
		must.Equal(t, fmt.Sprintf("%x", sha256.Sum256(must.Get(Print(c)))), want, "the certificate (synthetic", synthetic)
	}
}
