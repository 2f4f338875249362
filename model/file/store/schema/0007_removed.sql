-- Requests that a person took out of the ledger: the journal of this machine,
-- which has every call for good, does not bring them back.
CREATE TABLE retirement_removed (
  origin INTEGER NOT NULL REFERENCES origin,
  id     TEXT NOT NULL,
  PRIMARY KEY (origin, id)
) STRICT, WITHOUT ROWID;
