-- digest is a hash of the orders of a vintage in the last read. It is 0 if it is not known or there are none.
ALTER TABLE vintage ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
-- digested is the change that the digests belong to. Programs that know no digests leave it behind.
ALTER TABLE origin ADD COLUMN digested INTEGER NOT NULL DEFAULT 0;
