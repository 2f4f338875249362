-- When something was looked at last: 'market' for its prices, 'rules' for the
-- rules that were held against them.
CREATE TABLE looked (
  origin INTEGER NOT NULL REFERENCES origin,
  what   TEXT NOT NULL,
  at     INTEGER NOT NULL,
  PRIMARY KEY (origin, what)
) STRICT, WITHOUT ROWID;

INSERT INTO looked (origin, what, at) SELECT origin, 'market', max(at) FROM vintage GROUP BY origin;

-- The times in which nobody looked at the market: what was found different at
-- the end of one changed at any time in it.
CREATE TABLE gap (
  origin INTEGER NOT NULL REFERENCES origin,
  since  INTEGER NOT NULL,
  until  INTEGER NOT NULL,
  PRIMARY KEY (origin, until)
) STRICT, WITHOUT ROWID;

-- Of what fired at the end of such a time, when its rule was looked at before.
CREATE TABLE fired_since (
  fired INTEGER PRIMARY KEY REFERENCES fired ON DELETE CASCADE,
  since INTEGER NOT NULL
) STRICT;
