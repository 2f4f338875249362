-- Tables are only added: what a file of the step before holds is copied whole
-- if it cannot be brought to this one.

-- What a rule found when it was last held against the market, for whoever asks
-- what was before. A number is NULL where it was not known.
CREATE TABLE rule_look (
  origin     INTEGER NOT NULL,
  project_id TEXT NOT NULL,
  vintage_id TEXT NOT NULL,
  rule       TEXT NOT NULL,
  best_ask   INTEGER,
  last_paid  INTEGER,
  available  INTEGER,
  PRIMARY KEY (origin, project_id, vintage_id, rule),
  FOREIGN KEY (origin, project_id, vintage_id, rule) REFERENCES rule ON DELETE CASCADE ON UPDATE CASCADE
) STRICT, WITHOUT ROWID;

INSERT INTO rule_look (origin, project_id, vintage_id, rule) SELECT origin, project_id, vintage_id, rule FROM rule;

-- Since when a request is in the state that its last answer has.
CREATE TABLE retirement_state (
  origin INTEGER NOT NULL,
  id     TEXT NOT NULL,
  status TEXT NOT NULL,
  since  INTEGER NOT NULL,
  PRIMARY KEY (origin, id),
  FOREIGN KEY (origin, id) REFERENCES retirement ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

INSERT INTO retirement_state (origin, id, status, since) SELECT origin, id, status, answered_at FROM retirement WHERE status <> '';

-- request_id is empty in a rule on every request of the ledger.
CREATE TABLE request_rule (
  origin     INTEGER NOT NULL REFERENCES origin,
  request_id TEXT NOT NULL,
  rule       TEXT NOT NULL,
  PRIMARY KEY (origin, request_id, rule)
) STRICT, WITHOUT ROWID;

-- What a rule found of a request when it was last held against it.
CREATE TABLE request_look (
  origin     INTEGER NOT NULL,
  request_id TEXT NOT NULL,
  rule       TEXT NOT NULL,
  id         TEXT NOT NULL,
  status     TEXT NOT NULL,
  holds      INTEGER NOT NULL,
  PRIMARY KEY (origin, request_id, rule, id),
  FOREIGN KEY (origin, request_id, rule) REFERENCES request_rule ON DELETE CASCADE,
  FOREIGN KEY (origin, id) REFERENCES retirement ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- The history: rules that began to hold, on a vintage or on a request. already
-- says that the rule held when it was first looked at.
CREATE TABLE fired (
  id            INTEGER PRIMARY KEY,
  origin        INTEGER NOT NULL REFERENCES origin,
  at            INTEGER NOT NULL,
  already       INTEGER NOT NULL,
  seen          INTEGER NOT NULL DEFAULT 0,
  rule          TEXT NOT NULL,
  project_id    TEXT NOT NULL DEFAULT '',
  vintage_id    TEXT NOT NULL DEFAULT '',
  best_ask      INTEGER,
  last_paid     INTEGER,
  available     INTEGER,
  was_best_ask  INTEGER,
  was_last_paid INTEGER,
  was_available INTEGER,
  request_id    TEXT NOT NULL DEFAULT '',
  status        TEXT NOT NULL DEFAULT '',
  was_status    TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE INDEX fired_in_order ON fired (origin, id);

-- What all wallets were worth together, the last of each hour: quantities in
-- grams, amounts in cents.
CREATE TABLE book_value (
  origin   INTEGER NOT NULL REFERENCES origin,
  at       INTEGER NOT NULL,
  held     INTEGER NOT NULL,
  valued   INTEGER NOT NULL,
  value    INTEGER NOT NULL,
  costed   INTEGER NOT NULL,
  cost     INTEGER NOT NULL,
  compared INTEGER NOT NULL,
  over_cost INTEGER NOT NULL,
  PRIMARY KEY (origin, at)
) STRICT, WITHOUT ROWID;
