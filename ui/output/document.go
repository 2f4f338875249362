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
func Document[T any](w io.Writer, head any, name string, items iter.Seq[T]) error {
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

// List writes an array with one item per line.
func List[T any](w io.Writer, items iter.Seq[T]) error {
	out := bufio.NewWriterSize(w, 64<<10)
	if err := list(out, items); err != nil {
		return err
	}
	out.WriteByte('\n')
	return out.Flush()
}

func list[T any](out *bufio.Writer, items iter.Seq[T]) error {
	before := "[\n"
	for item := range items {
		text, err := marshal(item)
		if err != nil {
			return err
		}
		out.WriteString(before)
		if _, err := out.Write(text); err != nil {
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
