package api

import (
	"math"
	"time"
)

const (
	// rest is how long nothing is asked before what gathers meanwhile says
	// nothing of the rate.
	rest = time.Second
	// enough answers are a measure of their own. Fewer count together with
	// those before.
	enough = 20
	// careful is the part of the measured rate that is asked for next, cut what
	// is left at least of the one that was asked for.
	careful = 0.95
	cut     = 0.6
	// doubling is how long after a refusal the rate has doubled, guessDoubling
	// the same for a rate that is only guessed. It grows with the square of the
	// time: hardly at first, where the measure is fresh.
	doubling      = 12 * time.Second
	guessDoubling = 2 * time.Second
)

// pace is how many requests a service answers, as far as that is known.
type pace struct {
	// rate is how many a second were to be asked for after the last refusal, 0
	// while nothing was refused; top is what had become of that when the
	// service refused. guessed says that no rate was refused yet, only a burst.
	rate, top float64
	guessed   bool
	// answered counts requests since a refusal, or since the rest before.
	since    time.Time
	answered int
	rested   bool
	// waited is how long nobody asked behind that refusal, and gathers how
	// much of such a time a service gives at once.
	waited, gathers time.Duration
	// kept says that the last refusal did not count.
	kept bool
}

func (p *pace) gap(after time.Duration) time.Duration {
	if p.rate == 0 {
		return 0
	}
	return time.Duration(float64(time.Second) / p.grown(after))
}

func (p *pace) grown(after time.Duration) float64 {
	doubled := doubling
	if p.guessed {
		doubled = guessDoubling
	}
	part := float64(max(after, 0)) / float64(doubled)
	return p.rate * math.Exp2(part*part)
}

func (p *pace) rest(now time.Time) { p.since, p.answered, p.rested = now, 0, true }

// begin begins a measure with the first answer behind a refusal, unless the one
// before was too short.
func (p *pace) begin(refusedAt time.Time, waited time.Duration) {
	p.waited = waited
	if p.rested || p.answered > enough {
		p.since, p.answered, p.rested = refusedAt, 1, false
	}
}

func (p *pace) stop(after time.Duration) { p.top = p.grown(after) }

// measure learns the rate at a refusal. Between two of them a service has given
// all that it had. After a rest it gave what had gathered: as much as there will
// be after the wait, to begin with.
func (p *pace) measure(refusedAt time.Time, waiting time.Duration) {
	took := refusedAt.Sub(p.since)
	switch {
	case p.answered == 0 || took <= 0:
		return
	case p.rested:
		p.rate, p.guessed = float64(p.answered)/(took+waiting).Seconds(), true
		p.gathers = patience
		return
	}
	atOnce := took < p.waited*3/2
	if gave := float64(p.answered) / p.top; atOnce && gave < min(p.waited, p.gathers).Seconds()/2 {
		// Less than the wait had kept back: it did not gather.
		p.gathers = time.Duration(float64(p.answered-1) / p.top * float64(time.Second))
	}
	took -= max(0, p.waited-p.gathers)
	measured := float64(p.answered) / took.Seconds()
	if p.kept = atOnce && !p.kept && measured > p.rate*3/4; p.kept {
		// The end of a window that was used up in one go.
		return
	}
	p.rate, p.guessed = max(careful*measured, cut*p.top), p.guessed && atOnce
}
