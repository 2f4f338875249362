-- The form in which references are compared. SQLite cannot compute it: the program does, for
-- older calls when it opens the journal. NULL is a call for which that is not done.
ALTER TABLE call ADD COLUMN identity TEXT;
CREATE INDEX call_of_identity ON call (identity);
-- A call belongs to its key at every address.
CREATE INDEX call_of_key ON call (key_mark, external_id);
DROP INDEX call_of_reference;
