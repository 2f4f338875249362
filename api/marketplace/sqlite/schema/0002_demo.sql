-- Around which price the synthetic market of a vintage moves, and where that
-- is now.
CREATE TABLE demo_vintages (
    vintage    INTEGER PRIMARY KEY REFERENCES vintages,
    seller     INTEGER NOT NULL REFERENCES tenants,
    base_cents INTEGER NOT NULL CHECK (base_cents > 0),
    fair_cents INTEGER NOT NULL CHECK (fair_cents > 0)
) STRICT;
