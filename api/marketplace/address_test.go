package marketplace_test

import (
	"errors"
	"strings"
	"testing"

	"tonne/api/marketplace"
	must "tonne/model/musttest"
)

func TestAddressOfADatabase(t *testing.T) {
	t.Parallel()
	const server = "give postgres://HOST:PORT/DATABASE"
	for _, tt := range []struct{ address, says string }{
		{"market.db", ""},
		{"dir/market.db", ""},
		{"/srv/a b/market.db", ""},
		{"./host=1", ""},
		{"./sqlite:x.db", ""},
		{"../postgres:x", ""},
		{`C:\tonne\market.db`, ""},
		{"C:/tonne/market.db", ""},
		{"dir/a=b.db", ""},
		{"/srv/user@host.db", ""},
		{"postgres://db1/market", ""},
		{"postgresql://tonne:secret@db1,db2/market?sslmode=require", ""},
		{"postgres:///market?host=/run/postgresql", ""},
		{"postgres://tonne:a%40b@db1/market", ""},
		{"host=db1 dbname=market password=secret", "host=… dbname=… password=… is not the address of a database: " + server},
		{"password=secret/x host=db1", "password=… host=… is not"},
		{"dbname=secret", "dbname=… is not"},
		{"postgresql+psycopg2://tonne:secret@db1/market",
			"postgresql+psycopg2:… is not the address of a database: " + server},
		{"Postgres://tonne:secret@db1", "Postgres:… is not the address of a database: " + server},
		{" postgres://tonne:secret@db1", "postgres:… is not"},
		{"postgres:/db1/secret", "postgres:… is not"},
		{"jdbc:postgresql://db1/market?password=secret", "jdbc:… is not the address of a database: " + server},
		{"sqlite:///srv/secret.db", "sqlite:… is not the address of a database: give a path"},
		{"sqlite3:secret.db", "sqlite3:… is not"},
		{"file:secret.db?mode=ro", "file:… is not the address of a database: give a path"},
		{"file:///srv/secret.db", "file:… is not"},
		{":memory:", ":memory: is not the address of a database: give a path"},
		{"mysql://tonne:secret@db1/market",
			"mysql:… is not the address of a database: give a path (./NAME for a file of that name), or postgres://"},
		{"http://db1/secret", "http:… is not"},
		{"localhost:5432/secret", "localhost:… is not"},
		{"tonne:secret@db1/market", "tonne:… is not"},
		{"secret@db1/market", "…@db1 is not"},
		{"postgres://tonne:se@cret@db1/market",
			"postgres://tonne:xxxxx@db1/market is not the address of a database: " + server + ", and special"},
		{"postgres//tonne:secret@db1/market", "…@db1 is not the address of a database: give a path"},
		{"//tonne:secret@db1/market", "//…@db1 is not the address of a database: " + server},
		{"//secret@db1/market", "//…@db1 is not"},
		{"dir/tonne:secret@db1/market", "…@db1 is not"},
		{"db1/tonne:secret@", "…@ is not"},
		{"h:5432/secret", "h:… is not"},
		{"h:", "h:… is not"},
		{"~/market.db", "~/market.db is not the address of a database: give the whole path"},
		{"~tonne/market.db", "~tonne/market.db is not"},
		{"$HOME/market.db", "$HOME/market.db is not"},
		{"${MARKET_DB}", "${MARKET_DB} is not"},
		{"-", "- is not"},
		{"./~/market.db", ""},
		{"./tonne:x@db1", ""},
		{"/srv/tonne:x@db1/market.db", ""},
		{"//nas/share/market.db", ""},
		{"market-$1.db", ""},
		{"postgres://tonne:secret/x@db1:x/market", "postgres://tonne:xxxxx@db1:x/market is not"},
		{"postgres://tonne:sec/ret@db1/market", "as %XX, such as %40 for @"},
		{"postgres://tonne:sec#ret@db1/market", "as %XX"},
		{"postgres://", "HOST is missing"},
		{"postgres://db1:port/market?sslpassword=secret", "postgres://db1:port/market?sslpassword=xxxxx is not"},
	} {
		err := marketplace.CheckAddress(tt.address)
		if tt.says == "" {
			must.Succeed(t, err)
			continue
		}
		var refused *marketplace.AddressError
		must.Hold(t,
			errors.As(err, &refused) && strings.Contains(err.Error(), tt.says) && !strings.Contains(err.Error(), "secret"),
			tt.address, err)
	}
}

func TestPasswordsInAddressesAreMasked(t *testing.T) {
	t.Parallel()
	for address, masked := range map[string]string{
		"market.db":                                     "market.db",
		"postgres://tonne:secret@db1,db2/market":        "postgres://tonne:xxxxx@db1,db2/market",
		"postgres://tonne@db1/market":                   "postgres://tonne@db1/market",
		"postgres://tonne:se@cr:et@db1/market":          "postgres://tonne:xxxxx@db1/market",
		"postgres://se/cret@db1":                        "postgres://xxxxx@db1",
		"postgres://tonne:se?password=x@db1/market":     "postgres://tonne:xxxxx@db1/market",
		"postgres://db1/market?password=secret&a=b":     "postgres://db1/market?password=xxxxx&a=b",
		"postgresql://db1/market?sslpassword=secret%40": "postgresql://db1/market?sslpassword=xxxxx",
		"postgres://db1/market":                         "postgres://db1/market",
	} {
		must.Equal(t, marketplace.MaskAddress(address), masked)
	}
}
