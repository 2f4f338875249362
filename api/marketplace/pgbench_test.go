package marketplace

import (
	"context"
	"strconv"
	"strings"

	"tonne/api/marketplace/postgres/postgrestest"
)

// preparePgbench makes a database with the tables of pgbench, of 100,000 rows for
// each unit of scale, and returns its address.
func preparePgbench(ctx context.Context, server *postgrestest.Cluster, scale int) (address string, err error) {
	if err := postgrestest.Run(ctx, postgrestest.Address("postgres", server), "CREATE DATABASE pgbench"); err != nil {
		return "", err
	}
	address = postgrestest.Address("pgbench", server)
	_, err = server.Output("pgbench", "-i", "-q", "-s", strconv.Itoa(scale), address)
	return address, err
}

// pgbench runs its transactions for some seconds with so many clients, and returns
// how many it made a second.
func pgbench(server *postgrestest.Cluster, address string, clients, seconds int) (float64, error) {
	said, err := server.Output("pgbench", "-n", "-M", "prepared", "-j", "2", "-c", strconv.Itoa(clients), "-T", strconv.Itoa(seconds), address)
	if err != nil {
		return 0, err
	}
	_, after, _ := strings.Cut(said, "tps = ")
	number, _, _ := strings.Cut(after, " ")
	return strconv.ParseFloat(number, 64)
}
