-- What the buyer knows of credits and the service does not say. checked is a
-- day, as milliseconds of its start.
CREATE TABLE fact (
  origin    INTEGER NOT NULL REFERENCES origin,
  scope     TEXT NOT NULL,
  id        TEXT NOT NULL,
  attribute TEXT NOT NULL,
  value     TEXT NOT NULL,
  source    TEXT NOT NULL,
  checked   INTEGER NOT NULL,
  PRIMARY KEY (origin, scope, id, attribute)
) STRICT, WITHOUT ROWID;

-- What a person saw in a public registry. subject is the id of a retirement
-- request or a serial number. Nothing here is ever changed: who looked twice
-- has two rows.
CREATE TABLE sighting (
  origin      INTEGER NOT NULL REFERENCES origin,
  subject     TEXT NOT NULL,
  at          INTEGER NOT NULL,
  who         TEXT NOT NULL,
  url         TEXT NOT NULL,
  page        TEXT NOT NULL DEFAULT '',
  page_sha256 TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (origin, subject, at, who)
) STRICT, WITHOUT ROWID;
