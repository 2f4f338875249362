//go:build race

package market

const raceDetector = true
