package output

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"iter"

	"tonne/model/field"
)

// Document writes an object with the members of head and a list of items under a name. It writes item by item, so
// that a market of a million orders is never in memory as text.
func Document(w io.Writer, head any, name string, items iter.Seq[field.Value]) error {
	if l := limitOf(w); l != nil {
		items = l.Items(name, items)
	}
	start, err := marshal(head)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 64<<10)
	out.Write(bytes.TrimSuffix(start, []byte("}")))
	out.WriteString(`,"` + name + `":`)
	if err := list(out, items); err != nil {
		return err
	}
	out.WriteString("}\n")
	return out.Flush()
}

// Limited is a writer for one JSON document, which leaves the rows beyond its limit out.
type Limited struct {
	io.Writer
	*field.Limit
}

// limitOf returns the limit of a writer, or nil. A writer around a Limited has a method Unwrap.
func limitOf(w io.Writer) *field.Limit {
	if inner, ok := w.(interface{ Unwrap() io.Writer }); ok {
		w = inner.Unwrap()
	}
	limited, _ := w.(Limited)
	return limited.Limit
}

// List writes an array with one item per line.
func List(w io.Writer, items iter.Seq[field.Value]) error {
	if l := limitOf(w); l != nil {
		items = l.Items("", items)
	}
	out := bufio.NewWriterSize(w, 64<<10)
	if err := list(out, items); err != nil {
		return err
	}
	out.WriteByte('\n')
	return out.Flush()
}

func list(out *bufio.Writer, items iter.Seq[field.Value]) error {
	before := "[\n"
	for item := range items {
		out.WriteString(before)
		if _, err := out.Write(item.AppendJSON(nil)); err != nil {
			return err
		}
		before = ",\n"
	}
	if before == "[\n" {
		before = "["
	} else {
		before = "\n"
	}
	out.WriteString(before)
	_, err := out.WriteString("]")
	return err
}

// Object writes one object on one line.
func Object(w io.Writer, v any) error {
	if value, ok := v.(field.Value); ok && limitOf(w) != nil {
		v = limitOf(w).Document(value)
	}
	text, err := marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

func marshal(v any) ([]byte, error) {
	if v, ok := v.(field.Value); ok {
		return v.AppendJSON(nil), nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
