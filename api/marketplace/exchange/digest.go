package exchange

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
)

// Digest is what is in a table, in whatever order its rows come.
type Digest struct {
	Rows int64
	// Sum adds all integers up, modulo 2⁶⁴.
	Sum uint64
	// hash adds the SHA-256 of the rows up, modulo 2²⁵⁶.
	hash [4]uint64
}

// Hash is the hash of the rows in hexadecimal digits.
func (d Digest) Hash() string {
	return fmt.Sprintf("%016x%016x%016x%016x", d.hash[3], d.hash[2], d.hash[1], d.hash[0])
}

// add adds a row. Each of its values is hashed with its kind and its length,
// so that no two rows are hashed alike.
func (d *Digest) add(t table, values []any) {
	d.Rows++
	var row []byte
	for i, value := range values {
		row = append(row, byte(t.columns[i].kind))
		switch v := value.(type) {
		case nil:
			row = append(row, 0)
		case int64:
			d.Sum += uint64(v)
			row = binary.BigEndian.AppendUint64(append(row, 1), uint64(v))
		case bool:
			row = append(row, 1, 0)
			if v {
				row[len(row)-1] = 1
			}
		case string:
			row = append(binary.BigEndian.AppendUint64(append(row, 1), uint64(len(v))), v...)
		case []byte:
			row = append(binary.BigEndian.AppendUint64(append(row, 1), uint64(len(v))), v...)
		}
	}
	sum := sha256.Sum256(row)
	carry := uint64(0)
	for i := range d.hash {
		d.hash[i], carry = bits.Add64(d.hash[i], binary.LittleEndian.Uint64(sum[8*i:]), carry)
	}
}
