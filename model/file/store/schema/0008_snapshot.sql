-- The listings of a service as they were read last, compressed, for a start
-- without the service. mark names the API key that they were read with.
CREATE TABLE snapshot (
  origin INTEGER NOT NULL REFERENCES origin,
  name   TEXT NOT NULL,
  mark   TEXT NOT NULL,
  at     INTEGER NOT NULL,
  body   BLOB NOT NULL,
  PRIMARY KEY (origin, name)
) STRICT;
