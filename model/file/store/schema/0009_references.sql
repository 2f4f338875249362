-- What the calls of this machine that went into a request were for. The journal
-- has it as well, and may be lost.
CREATE TABLE retirement_reference (
  origin    INTEGER NOT NULL,
  id        TEXT NOT NULL,
  reference TEXT NOT NULL,
  PRIMARY KEY (origin, reference, id),
  FOREIGN KEY (origin, id) REFERENCES retirement ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
