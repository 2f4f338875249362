-- Why users bought, in their own words. A purchase is a vintage and a time, in milliseconds. The latest
-- reason counts, and none is removed.
CREATE TABLE purchase_reason (
    id         INTEGER PRIMARY KEY,
    origin     INTEGER NOT NULL REFERENCES origin (id),
    project_id TEXT NOT NULL,
    vintage_id TEXT NOT NULL,
    bought_at  INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    reason     TEXT NOT NULL
) STRICT;
CREATE INDEX purchase_reason_of ON purchase_reason (origin, project_id, vintage_id, bought_at);
