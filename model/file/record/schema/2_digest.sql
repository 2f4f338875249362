-- digest is a hash of the orders of a vintage in the last read. It is 0 if it is not known or there are none.
ALTER TABLE vintage ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
