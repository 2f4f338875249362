package demo

import (
	"strings"
	"testing"
)

func TestProjectsAreComplete(t *testing.T) {
	t.Parallel()
	names, numbers := make(map[string]bool), make(map[string]bool)
	public := 0
	for _, p := range catalogue() {
		if names[p.Name] || numbers[p.Registry+p.Number] {
			t.Errorf("%s is listed twice", p.Name)
		}
		names[p.Name], numbers[p.Registry+p.Number] = true, true
		if low, high := p.band(); low <= 0 || high <= low {
			t.Errorf("%s trades from %v to %v", p.Name, low, high)
		}
		if p.About == "" || len(p.Country) != 2 || p.Type == "" || len(kinds[p.Type].sdgs) == 0 {
			t.Errorf("%s is not described: %+v", p.Name, p)
		}
		if !strings.Contains(strings.ToLower(p.description()), "synthetic") {
			t.Errorf("%s does not say what is synthetic", p.Name)
		}
		if p.Invented && p.url() != "" {
			t.Errorf("%s is invented and has a page in a registry", p.Name)
		}
		if !p.Invented {
			public++
		}
	}
	if public < 24 {
		t.Errorf("%d public projects", public)
	}
}

func TestRegistryPages(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ number, url string }{
		{"1340", "https://registry.verra.org/app/projectDetail/VCS/1340"},
		{"11603", "https://registry.goldstandard.org/projects?q=gs11603"},
		{"1129", ""},
	} {
		for _, p := range catalogue() {
			if p.Number == test.number && p.url() != test.url {
				t.Errorf("%s: %q, want %q", p.Name, p.url(), test.url)
			}
		}
	}
}
