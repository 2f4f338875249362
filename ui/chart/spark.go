package chart

import "strings"

// steps omits the full block, which would touch the sparkline in the row above.
const steps = "▁▂▃▄▅▆▇"

const eighths = "▏▎▍▌▋▊▉"

const bytesPerCell = 3

// AppendSparkline appends a sparkline of the last width values, scaled from the lowest to the highest. Values
// below zero leave a gap. If all values are equal, the line is in the middle.
func AppendSparkline[V ~int64](dst []byte, values []V, width int) []byte {
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

func bounds[V ~int64](values []V) (low, high V, known bool) {
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

// Bar returns a bar in proportion to most, which fills width. A value above zero never gives an empty bar.
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
