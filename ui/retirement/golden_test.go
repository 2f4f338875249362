package retirement

import (
	"fmt"
	"testing"
	"time"

	"tonne/api"
	"tonne/model"
	"tonne/model/retirement"
	"tonne/ui/style"
	"tonne/ui/uitest"
)

const sampleID = "00mj6hrvi6yaapj6nb"

// request returns a request in a state with the changes applied.
func request(status retirement.Status, changes ...func(*retirement.Request)) *retirement.Request {
	r := uitest.Retirement(sampleID, status)
	for _, change := range changes {
		change(r)
	}
	return r
}

// Crowd fills the ledger with a request in each state.
func (r *robot) Crowd() {
	for i, s := range []retirement.Status{retirement.Complete, retirement.Open, retirement.Closed, retirement.InProgress,
		retirement.NothingToProcess} {
		id := fmt.Sprintf("00m%015d", i)
		r.Pastes(id)
		news := uitest.Answer{ID: id, Retirement: uitest.Retirement(id, s), At: r.Now}
		if !s.Final() {
			news.NextAt = r.Now.Add(40 * time.Second)
		}
		r.answered(news)
	}
	r.Pastes("00mnotthere0000000")
	r.answered(uitest.Answer{ID: "00mnotthere0000000", Err: &api.Error{Kind: api.NotFound, Code: "NOT_FOUND"}})
	r.Press("G")
}

func finds(answers ...*retirement.Request) func(r *robot) {
	return func(r *robot) { r.with(answers...) }
}

func fails(err error) func(r *robot) {
	return func(r *robot) {
		r.Pastes(sampleID)
		r.answered(uitest.Answer{ID: sampleID, Err: err})
	}
}

// frames are shown at a size, or at the sizes of everySize.
var frames = map[string]struct {
	width, height int
	show          func(r *robot)
}{
	"open":               {140, 40, finds(request(retirement.Open))},
	"closed":             {140, 40, finds(request(retirement.Closed))},
	"in-progress":        {140, 40, finds(request(retirement.InProgress))},
	"complete":           {140, 40, finds(request(retirement.Complete))},
	"nothing-to-process": {140, 40, finds(request(retirement.NothingToProcess))},
	"unknown-state": {140, 40, finds(request("ON_HOLD", func(r *retirement.Request) {
		r.Extra = []model.Field{{Name: "hold_reason", Value: "audit"}}
	}))},
	"no-certificate": {140, 40,
		finds(request(retirement.Complete, func(r *retirement.Request) { r.CertificateURL = "" }))},
	"no-serials": {140, 40, finds(request(retirement.Complete, func(r *retirement.Request) { r.SerialNumbers = nil }))},
	"no-items":   {140, 40, finds(request(retirement.Complete, func(r *retirement.Request) { r.Items = nil }))},
	"bare-items": {140, 40, finds(request(retirement.Closed, func(r *retirement.Request) {
		r.Items = []retirement.Item{{ID: "00p1", Quantity: model.UnknownGrams}}
	}))},
	"unknown-serials": {140, 40, finds(request(retirement.Complete, func(r *retirement.Request) {
		r.SerialNumbers = append(r.SerialNumbers, "REGISTRY-OF-NOWHERE/1..5000")
	}))},
	"faults": {140, 40, finds(request(retirement.Complete, func(r *retirement.Request) {
		r.TotalQuantity = model.UnknownGrams
		r.RetiredAt = model.ParseTimestamp("the day after")
		r.Faults = []model.Fault{{Path: "total_quantity", Reason: "is not a string of digits"}}
	}))},
	"not-found": {120, 20,
		fails(&api.Error{Kind: api.NotFound, Status: 422, Code: "NOT_FOUND", Message: "no such retirement request"})},
	"not-valid": {120, 20,
		fails(&api.Error{Kind: api.Invalid, Status: 422, Code: "VALIDATION_ERROR", Message: "id must be a string"})},
	"unauthorized": {120, 20, fails(&api.Error{Kind: api.Unauthorized, Status: 401})},
	"unreachable":  {120, 20, fails(&api.Error{Kind: api.Unreachable, Message: "connection refused"})},
	"ledger":       {show: (*robot).Crowd},
	"details":      {show: func(r *robot) { r.Crowd(); r.Press("enter") }},
}

var everySize = [...][2]int{{60, 11}, {80, 20}, {140, 32}, {160, 41}}

func TestFrames(t *testing.T) {
	t.Parallel()
	for name, f := range frames {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRobot(t, Options{})
			f.show(r)
			if f.width > 0 {
				uitest.Golden(t, name, r.FrameAt(f.width, f.height))
				return
			}
			for _, size := range everySize {
				uitest.Golden(t, fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), r.FrameAt(size[0], size[1]))
			}
		})
	}
}

func TestFramesFitEverySizeAndTheme(t *testing.T) {
	t.Parallel()
	r := newRobot(t, Options{})
	r.Crowd()
	for _, mode := range []style.Mode{style.Dark, style.Light, style.Mono} {
		r.View.Theme = style.NewTheme(mode)
		for width := 60; width <= 200; width += 13 {
			for _, height := range []int{11, 12, 19, 20, 33, 60} {
				for _, key := range []string{"enter", "]", "]", "G", "esc", "j", "/", "esc"} {
					r.Press(key)
					r.FrameAt(width, height)
				}
			}
		}
	}
}
