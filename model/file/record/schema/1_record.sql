-- The services whose markets were read. changed is the time of the last read that showed a change.
CREATE TABLE origin (
    id      INTEGER PRIMARY KEY,
    url     TEXT NOT NULL UNIQUE,
    changed INTEGER NOT NULL DEFAULT 0
) STRICT;

-- place gives the order in which the service lists its vintages. A project without vintages has one
-- whose id is empty.
CREATE TABLE vintage (
    id         INTEGER PRIMARY KEY,
    origin     INTEGER NOT NULL REFERENCES origin (id),
    project_id TEXT NOT NULL,
    vintage_id TEXT NOT NULL,
    year       INTEGER NOT NULL,
    place      INTEGER NOT NULL,
    UNIQUE (origin, project_id, vintage_id)
) STRICT;

-- Each complete read, and how many orders had changed since the one before it in the same period.
CREATE TABLE read (
    origin  INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    changes INTEGER NOT NULL,
    PRIMARY KEY (origin, at)
) STRICT, WITHOUT ROWID;

-- The first read of each watched period, and how far the clock of the service is ahead, in
-- milliseconds, or NULL.
CREATE TABLE period (
    origin INTEGER NOT NULL,
    since  INTEGER NOT NULL,
    ahead  INTEGER,
    PRIMARY KEY (origin, since)
) STRICT, WITHOUT ROWID;

-- The orders of the last read. A vintage without orders has one whose id is empty.
CREATE TABLE offer (
    vintage  INTEGER NOT NULL,
    order_id TEXT NOT NULL,
    since    INTEGER NOT NULL,
    price    INTEGER NOT NULL,
    quantity INTEGER NOT NULL,
    PRIMARY KEY (vintage, order_id)
) STRICT, WITHOUT ROWID;

-- Orders as they were from since until before until. span is the number of bits of the duration: an
-- order that was valid at a time began at most two to the power of span before.
CREATE TABLE past_offer (
    origin   INTEGER NOT NULL,
    span     INTEGER NOT NULL,
    since    INTEGER NOT NULL,
    vintage  INTEGER NOT NULL,
    order_id TEXT NOT NULL,
    until    INTEGER NOT NULL,
    price    INTEGER NOT NULL,
    quantity INTEGER NOT NULL,
    PRIMARY KEY (origin, span, since, vintage, order_id)
) STRICT, WITHOUT ROWID;
