-- When a call was first sent and when its outcome became known, on the clock of this machine, or 0: the
-- purchase of the call was made in between.
ALTER TABLE call ADD COLUMN sent_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE call ADD COLUMN answered_at INTEGER NOT NULL DEFAULT 0;
