package store

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"time"

	"zombiezen.com/go/sqlite"
)

// maxSnapshot bounds a body before compression: some 600,000 sell orders.
const maxSnapshot = 64 << 20

// PutSnapshot keeps a listing in place of that of the same name; mark names the API key. A
// body beyond 64 MiB is not kept. The error is one of the disk.
func (s *Store) PutSnapshot(ctx context.Context, account, name, mark string, at time.Time, body []byte) error {
	if len(body) > maxSnapshot {
		return nil
	}
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	_, err := w.Write(body)
	if err = errors.Join(err, w.Close()); err != nil {
		return err
	}
	return s.writeTo(ctx, account, func(conn *sqlite.Conn, service int64) error {
		return run(conn, `INSERT OR REPLACE INTO snapshot (origin, name, mark, at, body) VALUES (?, ?, ?, ?, ?)`, service, name, mark, millis(at), packed.Bytes())
	})
}

// Snapshot returns what PutSnapshot kept for an account and an API key; nil for
// nothing. The error is one of the disk, or that it is damaged.
func (s *Store) Snapshot(ctx context.Context, account, name, mark string) (body []byte, at time.Time, err error) {
	err = s.read(ctx, func(conn *sqlite.Conn) error {
		return each(conn, `SELECT at, body FROM snapshot JOIN origin ON origin.id = origin WHERE url = ? AND name = ? AND mark = ?`, func(stmt *sqlite.Stmt) error {
			at = columnTime(stmt, 0)
			r, err := gzip.NewReader(stmt.ColumnReader(1))
			if err == nil {
				body, err = io.ReadAll(r)
			}
			return err
		}, account, name, mark)
	})
	return body, at, err
}
