//go:build race

package marketplace

const raceDetector = true
