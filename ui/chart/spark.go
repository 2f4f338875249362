package chart

import "strings"

// steps has no full cell: it would touch the sparkline in the row above.
const steps = "▁▂▃▄▅▆▇"

const eighths = "▏▎▍▌▋▊▉"

const bytesPerCell = 3

// Sparkline returns the course of the last values, one cell each, from the
// lowest to the highest of them. Values below zero are missing and leave a
// gap; if all are the same, the line is in the middle. It is shorter than
// width if there are fewer values.
func Sparkline(values []int64, width int) string {
	return string(AppendSparkline(nil, values, width))
}

// AppendSparkline appends what Sparkline returns to dst.
func AppendSparkline(dst []byte, values []int64, width int) []byte {
	values = values[max(0, len(values)-max(width, 0)):]
	low, high, known := bounds(values)
	for _, v := range values {
		step := 3
		switch {
		case v < 0 || !known:
			dst = append(dst, ' ')
			continue
		case low < high:
			step = scale(uint64(v-low), uint64(high-low), 6)
		}
		dst = append(dst, steps[step*bytesPerCell:(step+1)*bytesPerCell]...)
	}
	return dst
}

func bounds(values []int64) (low, high int64, known bool) {
	for _, v := range values {
		if v < 0 {
			continue
		}
		if !known {
			low, high, known = v, v, true
		}
		low, high = min(low, v), max(high, v)
	}
	return low, high, known
}

// Bar returns a bar that fills width cells if the value is the most, and a
// part of them in proportion. A value above zero is never empty.
func Bar(value, most int64, width int) string {
	if value <= 0 || most <= 0 || width <= 0 {
		return ""
	}
	parts := max(scale(uint64(min(value, most)), uint64(most), uint64(width)*8), 1)
	bar := strings.Repeat("█", parts/8)
	if rest := parts % 8; rest > 0 {
		bar += eighths[(rest-1)*bytesPerCell : rest*bytesPerCell]
	}
	return bar
}
