package exchange

import "tonne/model"

// Certificate is what the certificate of a retirement says.
type Certificate struct {
	// Retirement is a request that is COMPLETE.
	Retirement  model.Retirement
	Project     model.Project
	VintageYear int
	// RegistryProject is the project's number in its registry.
	RegistryProject string
	// Ranges are the retired serial numbers.
	Ranges []SerialRange
	// Synthetic marks a certificate of demo data on its face.
	Synthetic bool
}
