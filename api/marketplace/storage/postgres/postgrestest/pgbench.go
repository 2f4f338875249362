package postgrestest

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// PrepareBench makes a database with the tables of pgbench, of 100,000 rows for
// each unit of scale.
func (c *Cluster) PrepareBench(ctx context.Context, scale int) error {
	if err := Run(ctx, Address("postgres", c), "CREATE DATABASE pgbench"); err != nil {
		return err
	}
	return c.run("pgbench", append(c.clientOf("pgbench"), "-i", "-q", "-s", strconv.Itoa(scale))...)
}

// Bench runs the transactions of pgbench for some seconds with so many clients,
// and returns how many it made a second.
func (c *Cluster) Bench(clients, seconds int) (float64, error) {
	said, err := c.output("pgbench", append(c.clientOf("pgbench"), "-n", "-M", "prepared", "-j", "2",
		"-c", strconv.Itoa(clients), "-T", strconv.Itoa(seconds))...)
	if err != nil {
		return 0, err
	}
	_, after, _ := strings.Cut(said, "tps = ")
	number, _, _ := strings.Cut(after, " ")
	return strconv.ParseFloat(number, 64)
}

func (c *Cluster) clientOf(database string) []string {
	return []string{"-h", "127.0.0.1", "-p", fmt.Sprint(c.Port), "-U", superuser, database}
}
