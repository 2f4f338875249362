-- How a person likes to see things, by the name of what is chosen.
CREATE TABLE choice (
  origin INTEGER NOT NULL REFERENCES origin,
  name   TEXT NOT NULL,
  value  TEXT NOT NULL,
  PRIMARY KEY (origin, name)
) STRICT, WITHOUT ROWID;
