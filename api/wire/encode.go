package wire

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

func appendComma(dst []byte, before int) []byte {
	if before > 0 {
		return append(dst, ',')
	}
	return dst
}

func appendDigits(dst []byte, n int64) []byte {
	return append(strconv.AppendInt(append(dst, '"'), n, 10), '"')
}

func appendInt(dst []byte, n int) []byte { return strconv.AppendInt(dst, int64(n), 10) }

func appendText(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}

func appendTexts(dst []byte, texts []string) []byte {
	dst = append(dst, '[')
	for i, s := range texts {
		dst = appendText(appendComma(dst, i), s)
	}
	return append(dst, ']')
}
