-- A check is a chain of ORs, because SQLite builds a table for a longer IN each
-- time a row is written.
--
-- Times are milliseconds since 1970 in UTC, quantities grams, prices and
-- amounts USD cents. A number is the key inside the database, an id what the
-- API shows.

CREATE TABLE registries (
    number INTEGER PRIMARY KEY,
    id     TEXT NOT NULL UNIQUE,
    name   TEXT NOT NULL UNIQUE
) STRICT;

-- Projects are listed in the order of their numbers. live_orders counts the
-- sell orders that are live: projects without any are not in the market.
CREATE TABLE projects (
    number          INTEGER PRIMARY KEY,
    id              TEXT NOT NULL UNIQUE,
    name            TEXT NOT NULL,
    type            TEXT NOT NULL,
    country         TEXT NOT NULL,
    registry        INTEGER NOT NULL REFERENCES registries,
    registry_number TEXT NOT NULL,
    registry_url    TEXT NOT NULL,
    description     TEXT NOT NULL,
    live_orders     INTEGER NOT NULL DEFAULT 0 CHECK (live_orders >= 0)
) STRICT;
CREATE INDEX projects_listed ON projects (number) WHERE live_orders > 0;

CREATE TABLE project_sdgs (
    project  INTEGER NOT NULL REFERENCES projects,
    position INTEGER NOT NULL,
    name     TEXT NOT NULL,
    PRIMARY KEY (project, position)
) STRICT, WITHOUT ROWID;

-- next_serial is the first serial number that the registry has not retired.
CREATE TABLE vintages (
    number       INTEGER PRIMARY KEY,
    id           TEXT NOT NULL UNIQUE,
    project      INTEGER NOT NULL REFERENCES projects,
    year         INTEGER NOT NULL,
    registry_url TEXT NOT NULL,
    next_serial  INTEGER NOT NULL CHECK (next_serial > 0),
    serial_batch INTEGER NOT NULL CHECK (serial_batch > 0)
) STRICT;
CREATE INDEX vintages_of_project ON vintages (project, number);

CREATE TABLE tenants (
    number  INTEGER PRIMARY KEY,
    name    TEXT NOT NULL UNIQUE,
    tax_id  TEXT,
    country TEXT
) STRICT;

-- A key is kept as its SHA-256. lookup is the first eight bytes of that.
CREATE TABLE api_keys (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    tenant     INTEGER NOT NULL REFERENCES tenants,
    role       TEXT NOT NULL,
    name       TEXT NOT NULL,
    lookup     INTEGER NOT NULL,
    hash       BLOB NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    is_active  INTEGER NOT NULL CHECK (is_active IN (0, 1))
) STRICT;
CREATE INDEX api_keys_lookup ON api_keys (lookup);
CREATE INDEX api_keys_of_user ON api_keys (tenant, role, number);

CREATE TABLE sell_orders (
    number         INTEGER PRIMARY KEY,
    id             TEXT NOT NULL UNIQUE,
    project        INTEGER NOT NULL REFERENCES projects,
    vintage        INTEGER NOT NULL REFERENCES vintages,
    seller         INTEGER NOT NULL REFERENCES tenants,
    state          TEXT NOT NULL CHECK (state = 'LIVE' OR state = 'SOLD' OR state = 'WITHDRAWN'),
    price_cents    INTEGER NOT NULL CHECK (price_cents > 0),
    quantity_grams INTEGER NOT NULL CHECK (quantity_grams >= 0),
    ended_at       INTEGER
) STRICT;
-- Everything that a page of the market shows of its orders, in its order.
CREATE INDEX sell_orders_live ON sell_orders (project, vintage, price_cents, id, quantity_grams)
    WHERE state = 'LIVE';
CREATE INDEX sell_orders_of_seller ON sell_orders (seller, vintage, state);
CREATE INDEX sell_orders_withdrawn ON sell_orders (ended_at) WHERE state = 'WITHDRAWN';

-- One row: version grows with every change of a sell order, listing whenever a
-- project enters or leaves the market.
CREATE TABLE market_state (
    only    INTEGER PRIMARY KEY CHECK (only = 1),
    version INTEGER NOT NULL,
    listing INTEGER NOT NULL
) STRICT;
INSERT INTO market_state VALUES (1, 1, 1);

-- A period is a month of accounts. One is open at a time.
CREATE TABLE periods (
    number    INTEGER PRIMARY KEY,
    month     TEXT NOT NULL,
    opened_at INTEGER NOT NULL,
    closed_at INTEGER
) STRICT;
CREATE UNIQUE INDEX periods_open ON periods ((1)) WHERE closed_at IS NULL;

CREATE TABLE invoices (
    number      INTEGER PRIMARY KEY,
    id          TEXT NOT NULL UNIQUE,
    tenant      INTEGER NOT NULL REFERENCES tenants,
    period      INTEGER NOT NULL REFERENCES periods,
    state       TEXT NOT NULL CHECK (state = 'LIVE' OR state = 'ISSUED' OR state = 'SETTLED'),
    total_cents INTEGER NOT NULL CHECK (total_cents >= 0),
    settled_at  INTEGER,
    UNIQUE (tenant, period)
) STRICT;
CREATE INDEX invoices_unsettled ON invoices (state, number) WHERE state <> 'SETTLED';

CREATE TABLE wallets (
    tenant         INTEGER NOT NULL REFERENCES tenants,
    project        INTEGER NOT NULL REFERENCES projects,
    vintage        INTEGER NOT NULL REFERENCES vintages,
    type           TEXT NOT NULL,
    quantity_grams INTEGER NOT NULL CHECK (quantity_grams >= 0),
    PRIMARY KEY (tenant, project, vintage, type)
) STRICT, WITHOUT ROWID;

CREATE TABLE trades (
    number         INTEGER PRIMARY KEY,
    id             TEXT NOT NULL UNIQUE,
    tenant         INTEGER NOT NULL REFERENCES tenants,
    vintage        INTEGER NOT NULL REFERENCES vintages,
    wallet_type    TEXT NOT NULL,
    sell_order     INTEGER NOT NULL REFERENCES sell_orders,
    invoice        INTEGER NOT NULL REFERENCES invoices,
    type           TEXT NOT NULL CHECK (type IN ('BUY', 'SELL')),
    quantity_grams INTEGER NOT NULL CHECK (quantity_grams > 0),
    price_cents    INTEGER NOT NULL CHECK (price_cents > 0),
    executed_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX trades_of_wallet ON trades
    (tenant, vintage, wallet_type, executed_at DESC, number DESC, type, quantity_grams, price_cents);
CREATE INDEX trades_of_order ON trades (sell_order);
CREATE INDEX trades_of_invoice ON trades (invoice, vintage, number);

-- closed_after is the last trade of anybody before the request closed: the
-- order of trades does not depend on a clock that may be set back.
CREATE TABLE retirement_requests (
    number            INTEGER PRIMARY KEY,
    id                TEXT NOT NULL UNIQUE,
    tenant            INTEGER NOT NULL REFERENCES tenants,
    vintage           INTEGER NOT NULL REFERENCES vintages,
    period            INTEGER NOT NULL REFERENCES periods,
    type              TEXT NOT NULL CHECK (type IN ('WHOLE', 'FRACTIONALISED')),
    status            TEXT NOT NULL CHECK (status = 'OPEN' OR status = 'CLOSED' OR status = 'IN_PROGRESS'
        OR status = 'COMPLETE' OR status = 'NOTHING_TO_PROCESS'),
    total_grams       INTEGER NOT NULL CHECK (total_grams >= 0),
    external_customer INTEGER NOT NULL CHECK (external_customer IN (0, 1)),
    created_at        INTEGER NOT NULL,
    closed_at         INTEGER,
    closed_after      INTEGER,
    retired_at        INTEGER,
    certificate       TEXT UNIQUE,
    CHECK (type = 'FRACTIONALISED' OR status NOT IN ('OPEN', 'NOTHING_TO_PROCESS')),
    CHECK ((status = 'COMPLETE') = (retired_at IS NOT NULL AND certificate IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX retirement_requests_gathering ON retirement_requests (tenant, vintage, period)
    WHERE type = 'FRACTIONALISED';
CREATE INDEX retirement_requests_moving ON retirement_requests (status, tenant)
    WHERE retired_at IS NULL;

CREATE TABLE retirement_items (
    number              INTEGER PRIMARY KEY,
    id                  TEXT NOT NULL UNIQUE,
    request             INTEGER NOT NULL REFERENCES retirement_requests,
    quantity_grams      INTEGER NOT NULL CHECK (quantity_grams > 0),
    created_at          INTEGER NOT NULL,
    retiree_name        TEXT,
    retiree_tax_id      TEXT,
    retiree_country     TEXT,
    external_retiree_id TEXT,
    trade               INTEGER REFERENCES trades
) STRICT;
CREATE INDEX retirement_items_of_request ON retirement_items (request, number);

-- What each external_id of a tenant led to, so that it never acts again. The
-- item may move on to a later request; the answer stays the first one.
CREATE TABLE external_ids (
    tenant      INTEGER NOT NULL REFERENCES tenants,
    external_id TEXT NOT NULL,
    request     INTEGER NOT NULL REFERENCES retirement_requests,
    item        INTEGER NOT NULL REFERENCES retirement_items,
    PRIMARY KEY (tenant, external_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE serial_numbers (
    request  INTEGER NOT NULL REFERENCES retirement_requests,
    position INTEGER NOT NULL,
    serial   TEXT NOT NULL,
    tonnes   INTEGER NOT NULL CHECK (tonnes > 0),
    PRIMARY KEY (request, position)
) STRICT, WITHOUT ROWID;

-- What the operator, the clock and the tenants did that changed a state.
CREATE TABLE audit (
    number  INTEGER PRIMARY KEY,
    at      INTEGER NOT NULL,
    actor   TEXT NOT NULL,
    action  TEXT NOT NULL,
    subject TEXT NOT NULL,
    detail  TEXT NOT NULL
) STRICT;
