-- The state of a request when a person looked at it last: what has another one
-- now is marked until somebody looks.
CREATE TABLE retirement_looked (
  origin INTEGER NOT NULL,
  id     TEXT NOT NULL,
  status TEXT NOT NULL,
  PRIMARY KEY (origin, id),
  FOREIGN KEY (origin, id) REFERENCES retirement ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

INSERT INTO retirement_looked (origin, id, status) SELECT origin, id, status FROM retirement WHERE status <> '';
