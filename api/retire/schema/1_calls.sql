-- Each call of the retirement-request operation, written before it is sent.
-- id gives their order: the clock is not trusted for it.
CREATE TABLE call (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    origin      TEXT NOT NULL,
    profile     TEXT NOT NULL,
    external_id TEXT NOT NULL,
    batch       TEXT NOT NULL,
    reference   TEXT NOT NULL,
    wish        TEXT NOT NULL,
    plan        TEXT NOT NULL,
    body        BLOB NOT NULL,
    made_by     TEXT NOT NULL,
    made_at     INTEGER NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('prepared', 'sent', 'done', 'refused', 'unknown')),
    tries       INTEGER NOT NULL DEFAULT 0,
    request_id  TEXT NOT NULL DEFAULT '',
    code        TEXT NOT NULL DEFAULT '',
    message     TEXT NOT NULL DEFAULT '',
    unsure      INTEGER NOT NULL DEFAULT 0,
    given_up    INTEGER NOT NULL DEFAULT 0,
    owner       TEXT NOT NULL DEFAULT '',
    UNIQUE (origin, profile, external_id)
) STRICT;

CREATE INDEX call_of_line ON call (origin, profile, batch, reference);
CREATE INDEX call_open ON call (origin, profile) WHERE state IN ('prepared', 'sent', 'unknown') AND given_up = 0;

-- A state goes prepared, sent, then to its end, never back; what was sent is
-- never changed.
CREATE TRIGGER call_never_back BEFORE UPDATE OF state ON call
WHEN OLD.state IN ('done', 'refused') AND NEW.state <> OLD.state
  OR NEW.state = 'prepared' AND OLD.state <> 'prepared'
  OR NEW.state = 'sent' AND OLD.state = 'unknown'
BEGIN SELECT RAISE(ABORT, 'the state of a call never goes back'); END;

CREATE TRIGGER call_stays AFTER UPDATE OF origin, profile, external_id, batch, reference, wish, plan, body, made_by, made_at ON call
BEGIN SELECT RAISE(ABORT, 'a call in the journal is never changed'); END;

CREATE TRIGGER call_kept BEFORE DELETE ON call
BEGIN SELECT RAISE(ABORT, 'a call in the journal is never deleted'); END;
