-- Times are milliseconds since 1970 in UTC. Everything belongs to one service:
-- what a demo leaves behind never mixes with production.

CREATE TABLE origin (
  id  INTEGER PRIMARY KEY,
  url TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE project (
  origin     INTEGER NOT NULL REFERENCES origin,
  project_id TEXT NOT NULL,
  fetched_at INTEGER NOT NULL,
  details    TEXT NOT NULL,
  PRIMARY KEY (origin, project_id)
) STRICT, WITHOUT ROWID;

-- The last observation stands with the vintage, so that finding out what
-- changed reads one table. best_ask is NULL where nobody sells a whole tonne.
CREATE TABLE vintage (
  id           INTEGER PRIMARY KEY,
  origin       INTEGER NOT NULL REFERENCES origin,
  project_id   TEXT NOT NULL,
  vintage_id   TEXT NOT NULL,
  at           INTEGER NOT NULL,
  best_ask     INTEGER,
  available    INTEGER NOT NULL,
  compacted_at INTEGER NOT NULL,
  UNIQUE (origin, project_id, vintage_id)
) STRICT;

CREATE TABLE observation (
  vintage   INTEGER NOT NULL REFERENCES vintage,
  at        INTEGER NOT NULL,
  best_ask  INTEGER,
  available INTEGER NOT NULL,
  PRIMARY KEY (vintage, at)
) STRICT, WITHOUT ROWID;

CREATE TABLE watch (
  origin     INTEGER NOT NULL REFERENCES origin,
  project_id TEXT NOT NULL,
  vintage_id TEXT NOT NULL,
  PRIMARY KEY (origin, project_id, vintage_id)
) STRICT, WITHOUT ROWID;

-- holds is whether the rule held when it was last looked at: an alert is
-- raised by whoever changes it from 0 to 1.
CREATE TABLE rule (
  origin     INTEGER NOT NULL REFERENCES origin,
  project_id TEXT NOT NULL,
  vintage_id TEXT NOT NULL,
  rule       TEXT NOT NULL,
  holds      INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (origin, project_id, vintage_id, rule)
) STRICT, WITHOUT ROWID;

-- Each group of columns has a time of its own: of two programs that write the
-- same group, the later one counts.
CREATE TABLE retirement (
  origin     INTEGER NOT NULL REFERENCES origin,
  id         TEXT NOT NULL,
  first_seen INTEGER NOT NULL,

  label    TEXT NOT NULL DEFAULT '',
  label_at INTEGER NOT NULL DEFAULT 0,

  status      TEXT NOT NULL DEFAULT '',
  answer      TEXT,
  answered_at INTEGER NOT NULL DEFAULT 0,
  error       TEXT NOT NULL DEFAULT '',
  looked_at   INTEGER NOT NULL DEFAULT 0,

  certificate_path   TEXT NOT NULL DEFAULT '',
  certificate_type   TEXT NOT NULL DEFAULT '',
  certificate_size   INTEGER NOT NULL DEFAULT 0,
  certificate_sha256 TEXT NOT NULL DEFAULT '',
  certificate_at     INTEGER NOT NULL DEFAULT 0,

  PRIMARY KEY (origin, id)
) STRICT;
