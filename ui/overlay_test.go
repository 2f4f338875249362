package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"tonne/api/session"
	"tonne/ui/uitest"
)

// hardNames have widths that are hard to measure: keycaps, variation selectors before joiners,
// flags and halves of flags, skin tones, combining marks, conjuncts, jamo.
var hardNames = []string{
	"Cookstoves 1️⃣", "1️⃣2️⃣3️⃣4️⃣5️⃣6️⃣7️⃣8️⃣9️⃣0️⃣", "#️⃣ *⃣ 9\u20e3", "❤️\u200d🔥 🏳️\u200d🌈", "👩‍👩‍👧‍👦 👍🏽 👩🏾‍🚀", "🇪🇹🇰🇭🇪",
	"森林碳汇项目森林碳汇项目", "क्षि स्ते நி", "각\u1100\u1161\u11a8", "e\u0301\u0301\u0301 ก็ำ", "™️ ☠️ ↩\ufe0e", "\u0600\u0661\u0662",
}

func TestDialogOverlaysAnyNameAtEveryWidth(t *testing.T) {
	t.Parallel()
	for n, name := range hardNames {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := settled(t, 120, 20)
			projects := uitest.Projects()
			for id, p := range projects {
				p.Name, p.Type, p.Country = name, name, name
				projects[id] = p
			}
			r.hear(session.ProjectsEvent{Projects: projects})
			r.Press("?")
			// Together the names cover every width.
			for width := minWidth + n%4; width <= 200; width += 4 {
				r.app.Update(tea.WindowSizeMsg{Width: width, Height: 20})
				uitest.Exact(t, r.frame(), width, 20)
			}
		})
	}
}
