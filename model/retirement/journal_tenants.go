package retirement

// tenants groups accounts: two with calls in one request are of one tenant.
type tenants struct {
	// same leads from an account to another one of its tenant.
	same map[string]string
	// owner is an account that sent a call into a request, by its id.
	owner map[string]string
}

func newTenants(calls []JournalEntry) tenants {
	t := tenants{make(map[string]string), make(map[string]string)}
	for _, c := range calls {
		if c.RequestID == "" {
			continue
		}
		first, known := t.owner[c.RequestID]
		if !known {
			t.owner[c.RequestID] = c.Account
		} else if a, b := t.of(first), t.of(c.Account); a != b {
			t.same[a] = b
		}
	}
	return t
}

func (t tenants) of(account string) string {
	for {
		next, more := t.same[account]
		if !more {
			return account
		}
		account = next
	}
}

func (t tenants) isOf(tenant string, r *Request) bool {
	owner, known := t.owner[r.ID]
	return known && t.of(owner) == tenant
}

func (t tenants) isOfAnother(tenant string, r *Request) bool {
	owner, known := t.owner[r.ID]
	return known && t.of(owner) != tenant
}
