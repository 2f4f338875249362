//go:build !race

package marketplace

const raceDetector = false
