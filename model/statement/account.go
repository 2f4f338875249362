package statement

// Account is a tenant of a marketplace. An empty field is unknown, an empty profile means that
// none is in use.
type Account struct {
	Tenant, Profile, Marketplace string
	Company                      Company
}

// Company is the legal person of an account, as the user's auditors name it. Its fields may be empty.
type Company struct{ Name, Address, TaxID string }
