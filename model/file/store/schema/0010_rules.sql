-- Rules on vintages and on retirement requests. One on requests has no vintage; it
-- is on every request of the ledger if request_id is empty.
CREATE TABLE alert_rule (
  id         INTEGER PRIMARY KEY,
  origin     INTEGER NOT NULL REFERENCES origin,
  project_id TEXT NOT NULL,
  vintage_id TEXT NOT NULL,
  request_id TEXT NOT NULL,
  rule       TEXT NOT NULL,
  UNIQUE (origin, project_id, vintage_id, request_id, rule)
) STRICT;

-- What a rule found when it was last held against its vintage, where origin is NULL
-- and id is empty, or against the request of that id. A number is NULL where it was
-- not known.
CREATE TABLE alert_look (
  rule      INTEGER NOT NULL REFERENCES alert_rule ON DELETE CASCADE,
  origin    INTEGER,
  id        TEXT NOT NULL,
  holds     INTEGER NOT NULL,
  best_ask  INTEGER,
  last_paid INTEGER,
  available INTEGER,
  status    TEXT NOT NULL,
  PRIMARY KEY (rule, id),
  FOREIGN KEY (origin, id) REFERENCES retirement ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
