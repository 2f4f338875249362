package config

import "testing"

func TestProductionIsRecognisedByEveryNameOfItsAddress(t *testing.T) {
	t.Parallel()
	file, err := Parse("config.toml", `
[profiles.prod]
base_url = "https://market.example/api"
production = true
[profiles.tunnel]
base_url = "http://localhost:8443"
production = true
[profiles.staging]
base_url = "https://staging.example"
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ address, want string }{
		{"https://market.example/api", "prod"},
		{"https://market.example:443/api/", "prod"},
		{"https://MARKET.example", "prod"},
		{"https://market.example/api/v2", "prod"},
		{"https://market.example./api", "prod"},
		{"https://market.example/apiary", ""},
		{"https://market.example/test", ""},
		{"https://market.example:8443/api", ""},
		{"http://localhost:8443", "tunnel"},
		{"http://127.0.0.1:8443", "tunnel"},
		{"http://[::1]:8443/", "tunnel"},
		{"http://127.0.0.1:8444", ""},
		{"https://staging.example", ""},
	} {
		base, err := ParseBaseURL(test.address)
		if err != nil {
			t.Fatal(err)
		}
		if got := file.Production(base); got != test.want {
			t.Errorf("Production(%s) = %q, want %q", test.address, got, test.want)
		}
	}
}
