-- By which key a call was made: a mark from which nobody gets the key, empty for
-- calls of before.
ALTER TABLE call ADD COLUMN key_mark TEXT NOT NULL DEFAULT '';

CREATE TRIGGER call_stays_of_its_key AFTER UPDATE OF key_mark ON call
BEGIN SELECT RAISE(ABORT, 'a call in the journal is never changed'); END;
