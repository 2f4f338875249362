package retirement_test

import (
	"fmt"
	"strings"
	"testing"

	"tonne/model"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/model/texttest"
)

func TestParseSerialOfEachRegistry(t *testing.T) {
	texttest.Table(t, "serials", func(text string) string {
		s, ok := retirement.ParseSerial(text)
		if !ok {
			must.Hold(t, s == (retirement.Serial{}) && retirement.RegistryLink(model.Project{}, "004a", s) == "", text, s)
			return "in another format"
		}
		if s.Dated() {
			must.Hold(t, !s.Covers(s.FirstYear-1) && s.Covers(s.FirstYear) && s.Covers(s.LastYear) && !s.Covers(s.LastYear+1),
				text)
		}
		return fmt.Sprintf("%s, block %s\ncredits %d to %d, %d t\nproject %s in %s, %d to %d\n%s", s.Registry, s.Block,
			s.Start, s.End,
			s.Tonnes, s.Project, s.Country, s.FirstYear, s.LastYear, retirement.RegistryLink(model.Project{}, "004a", s))
	})
}

func TestSerialsOverlapByTheirFirstAndLastCredit(t *testing.T) {
	serial := func(credits string) retirement.Serial {
		s, ok := retirement.ParseSerial("ART-GY-102-2019-3-" + credits)
		must.Need(t, ok, credits)
		return s
	}
	for credits, overlap := range map[string]bool{
		"1 to 10": false, "10 to 11": true, "11 to 11": true, "12 to 29": true, "30 to 30": true, "30 to 31": true,
		"31 to 40": false, "1 to 40": true,
	} {
		must.Equal(t, serial("11 to 30").Overlaps(serial(credits)), overlap, credits)
	}
}

func TestRegistryNumberOfAProject(t *testing.T) {
	texttest.Table(t, "registry_numbers", func(text string) string {
		var p model.Project
		for _, field := range strings.Fields(text) {
			if strings.HasPrefix(field, "https:") {
				p.RegistryURL = field
			} else {
				p.RegistryID = field
			}
		}
		registry, number := retirement.RegistryNumber(p)
		return registry + " " + number
	})
}

func FuzzParseSerial(f *testing.F) {
	for _, text := range texttest.Inputs("serials") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, ok := retirement.ParseSerial(text)
		if !ok {
			must.Equal(t, s, (retirement.Serial{}), text)
			return
		}
		if s.Tonnes < 1 || s.End-s.Start != s.Tonnes-1 || s.Start < 0 || s.LastYear < s.FirstYear || s.Registry == "" ||
			s.Block == "" || len(s.Country)%2 != 0 {
			t.Errorf("%q is read as %+v", text, s)
		}
		// Every digit of the range is in the text, so no quantity comes from anywhere else.
		must.Hold(t,
			strings.Contains(text, fmt.Sprint(s.Start)) && strings.Contains(text, fmt.Sprint(s.End)) &&
				strings.Contains(text, s.Project), text, s)
		whole, ok := retirement.PartOfSerial(text, s.Start, s.End)
		again, _ := retirement.ParseSerial(whole)
		must.Hold(t, ok && again == s, text, whole)
	})
}

// TestSerialNumbersAreReadInAnyWriting changes what people and programs change about a serial
// number that does not change its credits.
func TestSerialNumbersAreReadInAnyWriting(t *testing.T) {
	changes := map[string]func(string) string{
		"lower case":    strings.ToLower,
		"blanks around": func(s string) string { return "\t " + s + "\u00a0\n" },
		"no-break":      func(s string) string { return strings.ReplaceAll(s, " ", "\u00a0") },
		"narrow":        func(s string) string { return strings.ReplaceAll(s, " ", "\u202f\u202f") },
		"hyphens":       func(s string) string { return strings.ReplaceAll(s, "-", "\u2011") },
		"dashes":        func(s string) string { return strings.ReplaceAll(s, "-", "–") },
		"blank hyphens": func(s string) string { return strings.ReplaceAll(s, "-", " - ") },
		"a dash for to": func(s string) string { return strings.ReplaceAll(s, " to ", "–") },
		"a wrapped row": func(s string) string { return strings.ReplaceAll(s, "-", "-\r\n") },
	}
	for _, text := range texttest.Inputs("serials") {
		want, ok := retirement.ParseSerial(text)
		for name, change := range changes {
			got, okChanged := retirement.ParseSerial(change(text))
			if ok || okChanged {
				must.Equal(t, got, want, name, change(text))
			}
		}
	}
}

// TestSerialNumbersAreWhollyRead removes and repeats parts of a serial number: what remains is in
// no format, or has another block, so that it can never pass for the same credits.
func TestSerialNumbersAreWhollyRead(t *testing.T) {
	for _, text := range texttest.Inputs("serials") {
		whole, ok := retirement.ParseSerial(text)
		if !ok {
			continue
		}
		for i := range len(text) + 1 {
			for _, other := range []string{text[:i], text[i:], text[:i] + "," + text[i:], text[:i] + " 1 " + text[i:],
				text[:i] + "-1-" + text[i:]} {
				if s, ok := retirement.ParseSerial(other); ok && strings.TrimLeft(other, "0") != strings.TrimLeft(text, "0") {
					must.Hold(t, s.Block != whole.Block || s.Start != whole.Start || s.End != whole.End, text, other)
				}
			}
		}
	}
}

func TestPartOfSerial(t *testing.T) {
	texttest.Table(t, "serial_parts", func(text string) string {
		var start, end int64
		must.Get(fmt.Sscan(text, &start, &end))
		part, ok := retirement.PartOfSerial(strings.SplitN(text, " ", 3)[2], start, end)
		must.Equal(t, ok, part != "", text)
		return part
	})
}

func TestRegistryLinkPrefersThePageOfTheProject(t *testing.T) {
	p := model.Project{
		RegistryURL: "https://registry.example/p", RegistryID: "VCS-1340",
		Vintages: []model.ProjectVintage{{ID: "a", RegistryURL: "https://registry.example/v"},
			{ID: "b", RegistryURL: "javascript:alert(1)"}},
	}
	s, _ := retirement.ParseSerial("ART-GY-102-2019-3-1 to 2")
	must.Equal(t, retirement.RegistryLink(p, "a", s)+" "+retirement.RegistryLink(p, "b", s),
		"https://registry.example/v https://registry.example/p")
	for _, address := range []string{"http://registry.example", "https://me@registry.example", "https://",
		"file:///etc/passwd", "https://a.example/\x1b"} {
		p.RegistryURL = address
		got := retirement.RegistryLink(p, "b", s)
		must.Hold(t, got == "https://registry.verra.org/app/projectDetail/VCS/1340", address, got)
	}
}
