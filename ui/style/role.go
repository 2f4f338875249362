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
	// Accent is for the product itself and for what is fine.
	Accent
	// Paid is for what was last paid. A ★ stands beside it.
	Paid
	// Warning is for dearer and for worse. A ▲, ⚠ or ✗ stands beside it.
	Warning
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
	// Border is for thin lines.
	Border
	// Bar is for bars of depth.
	Bar
	// Alarm is the filled label of a place where mistakes cost money.
	Alarm
	// Found is for the part of a text that a filter looks for.
	Found
	roles
)

// RowState is the state of a whole line. States can be combined.
type RowState uint8

// The states of a line.
const (
	// Plain is a line like any other.
	Plain RowState = 0
	// Selected is the line of the cursor.
	Selected RowState = 1 << 0
	// Resting is the line of a cursor whose pane does not have the focus.
	Resting RowState = 1 << 1
	// Stale is data that is older than it should be.
	Stale     RowState = 1 << 2
	rowStates RowState = 1 << 3
)
