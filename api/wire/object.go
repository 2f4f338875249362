package wire

import (
	"slices"
	"strconv"

	"tonne/model"
)

// object describes the members of a JSON object in the order in which they are
// written. It decodes the object into a T and encodes it from one.
type object[T any] struct {
	fields []field[T]
	// other reads a member that is not in fields. If nil, such members are skipped.
	other func(r *reader, to *T)
}

type field[T any] struct {
	name  string
	mode  mode
	read  func(r *reader, to *T)
	write func(dst []byte, from *T) []byte
	// unknown sets the value of a member that is missing, if that is not the zero value.
	unknown func(to *T)
}

type mode int8

const (
	// essential members must be there and readable: without them the body is unusable.
	essential mode = iota
	// expected members are unknown if they are missing or unreadable, which is a fault.
	expected
	// optional members may be missing. If one is unreadable, that is a fault.
	optional
	// sparse members are optional, and omitted if they are an empty text.
	sparse
)

func (o object[T]) decode(body []byte) (to T, faults []model.Fault, err error) {
	r := newReader(body)
	to = o.read(r)
	if err := r.finish(); err != nil {
		return *new(T), nil, err
	}
	return to, r.faults, nil
}

func (o object[T]) read(r *reader) (to T) {
	seen := 0 // bit n is set if the object has fields[n]
	for range r.object(members{}) {
		n := slices.IndexFunc(o.fields, func(f field[T]) bool { return f.name == string(r.name) })
		switch {
		case n >= 0:
			seen |= 1 << n
			r.essential = o.fields[n].mode == essential
			o.fields[n].read(r, &to)
			r.essential = false
		case o.other != nil:
			o.other(r, &to)
		default:
			r.skip()
		}
	}
	for n, f := range o.fields {
		if seen&(1<<n) == 0 {
			r.missing(f.name, f.mode)
			if f.mode == expected && f.unknown != nil {
				f.unknown(&to)
			}
		}
	}
	return to
}

func (o object[T]) append(dst []byte, from *T) []byte {
	dst = append(dst, '{')
	start := len(dst)
	for _, f := range o.fields {
		end := len(dst)
		dst = append(appendComma(dst, end-start), '"')
		dst = append(append(dst, f.name...), `":`...)
		named := len(dst)
		if dst = f.write(dst, from); f.mode == sparse && string(dst[named:]) == `""` {
			dst = dst[:end]
		}
	}
	return append(dst, '}')
}

type kind[V any] struct {
	read    func(r *reader) V
	write   func(dst []byte, v V) []byte
	unknown V
}

var (
	idKind         = kind[string]{read: (*reader).id, write: appendText}
	optionalIDKind = kind[string]{read: (*reader).optionalID, write: appendText}
	textKind       = kind[string]{read: (*reader).optionalText, write: appendText}
	textsKind      = kind[[]string]{read: (*reader).strings, write: appendTexts}
	countKind      = kind[int]{read: (*reader).count, write: appendInt}
	yearKind       = kind[int]{read: (*reader).year, write: appendInt}
	gramsKind      = digitsKind[model.Grams]()
	priceKind      = digitsKind[model.PriceCents]()
	timeKind       = kind[model.Timestamp]{
		read:  func(r *reader) model.Timestamp { return model.ParseTimestamp(r.optionalText()) },
		write: func(dst []byte, t model.Timestamp) []byte { return appendText(dst, t.Text) },
	}
	flagKind = kind[model.OptionalBool]{
		read:  (*reader).optionalBool,
		write: func(dst []byte, b model.OptionalBool) []byte { return strconv.AppendBool(dst, b == model.Yes) },
	}
)

func wordKind[S ~string]() kind[S] {
	return kind[S]{
		read:  func(r *reader) S { return S(r.text()) },
		write: func(dst []byte, s S) []byte { return appendText(dst, string(s)) },
	}
}

func digitsKind[N ~int64]() kind[N] {
	return kind[N]{
		read:    func(r *reader) N { return N(r.digits()) },
		write:   func(dst []byte, n N) []byte { return appendDigits(dst, int64(n)) },
		unknown: unknownDigits,
	}
}

func listKind[E any](element object[E]) kind[[]E] {
	return kind[[]E]{
		read: func(r *reader) (all []E) {
			for range r.array() {
				all = append(all, element.read(r))
			}
			return all
		},
		write: func(dst []byte, all []E) []byte {
			dst = append(dst, '[')
			for i := range all {
				dst = element.append(appendComma(dst, i), &all[i])
			}
			return append(dst, ']')
		},
	}
}

func member[T, V any](name string, m mode, k kind[V], of func(*T) *V) field[T] {
	return field[T]{
		name: name, mode: m,
		read:    func(r *reader, to *T) { *of(to) = k.read(r) },
		write:   func(dst []byte, from *T) []byte { return k.write(dst, *of(from)) },
		unknown: func(to *T) { *of(to) = k.unknown },
	}
}
