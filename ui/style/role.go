package style

// Role is the meaning of a piece of text. Each has one style.
type Role uint8

// The roles.
const (
	// Text is anything that has no other role: the colour of the terminal.
	Text Role = iota
	// Muted is for labels and what stands beside the point.
	Muted
	// Faint is for dashes that stand for nothing, and hints.
	Faint
	// Name is for the name of a thing: bold.
	Name
	// Strong is for the price to act on.
	Strong
	// Product is for the product itself and for what is fine.
	Product
	// Paid is for what was last paid. A ★ stands beside it.
	Paid
	// Dearer is for dearer and for worse. A ▲, ⚠ or ✗ stands beside it.
	Dearer
	// Cheaper is for cheaper. A ▼ stands beside it.
	Cheaper
	// Heading is for column titles and the titles of sections.
	Heading
	// Link is for addresses that can be opened.
	Link
	// Tab is for the filled label of the tab that is shown.
	Tab
	// Key is for keys that can be pressed.
	Key
	// Rule is for thin lines.
	Rule
	// Bar is for bars of depth.
	Bar
	// Alarm is the filled label of a place where mistakes cost money.
	Alarm
	roles
)

// Look is the state of a whole line. Looks can be combined.
type Look uint8

// The looks of a line.
const (
	// Plain is a line like any other.
	Plain Look = 0
	// Selected is the line of the cursor.
	Selected Look = 1 << 0
	// Resting is the line of a cursor whose pane does not have the focus.
	Resting Look = 1 << 1
	// Stale is data that is older than it should be.
	Stale Look = 1 << 2
	looks Look = 1 << 3
)
