-- Every index of a table that a purchase adds to is another page that the
-- purchase writes. Nobody looks a trade or an item up by its id, which has 77
-- random bits; a certificate is looked up, but a request has none at first.

CREATE TABLE new_trades (
    number         INTEGER PRIMARY KEY,
    id             TEXT NOT NULL,
    tenant         INTEGER NOT NULL REFERENCES tenants,
    vintage        INTEGER NOT NULL REFERENCES vintages,
    wallet_type    TEXT NOT NULL,
    sell_order     INTEGER NOT NULL REFERENCES sell_orders,
    invoice        INTEGER NOT NULL REFERENCES invoices,
    type           TEXT NOT NULL CHECK (type = 'BUY' OR type = 'SELL'),
    quantity_grams INTEGER NOT NULL CHECK (quantity_grams > 0),
    price_cents    INTEGER NOT NULL CHECK (price_cents > 0),
    executed_at    INTEGER NOT NULL
) STRICT;
INSERT INTO new_trades SELECT number, id, tenant, vintage, wallet_type, sell_order, invoice, type, quantity_grams, price_cents, executed_at
    FROM trades ORDER BY number;
DROP TABLE trades;
ALTER TABLE new_trades RENAME TO trades;
CREATE INDEX trades_of_wallet ON trades
    (tenant, vintage, wallet_type, executed_at DESC, number DESC, type, quantity_grams, price_cents);
CREATE INDEX trades_of_order ON trades (sell_order);
CREATE INDEX trades_of_invoice ON trades (invoice, vintage, number);

CREATE TABLE new_requests (
    number            INTEGER PRIMARY KEY,
    id                TEXT NOT NULL UNIQUE,
    tenant            INTEGER NOT NULL REFERENCES tenants,
    vintage           INTEGER NOT NULL REFERENCES vintages,
    period            INTEGER NOT NULL REFERENCES periods,
    type              TEXT NOT NULL CHECK (type = 'WHOLE' OR type = 'FRACTIONALISED'),
    status            TEXT NOT NULL CHECK (status = 'OPEN' OR status = 'CLOSED' OR status = 'IN_PROGRESS'
        OR status = 'COMPLETE' OR status = 'NOTHING_TO_PROCESS'),
    total_grams       INTEGER NOT NULL CHECK (total_grams >= 0),
    external_customer INTEGER NOT NULL CHECK (external_customer IN (0, 1)),
    created_at        INTEGER NOT NULL,
    closed_at         INTEGER,
    closed_after      INTEGER,
    retired_at        INTEGER,
    certificate       TEXT,
    CHECK (type = 'FRACTIONALISED' OR status NOT IN ('OPEN', 'NOTHING_TO_PROCESS')),
    CHECK ((status = 'COMPLETE') = (retired_at IS NOT NULL AND certificate IS NOT NULL))
) STRICT;
INSERT INTO new_requests SELECT number, id, tenant, vintage, period, type, status, total_grams, external_customer, created_at, closed_at,
    closed_after, retired_at, certificate FROM retirement_requests ORDER BY number;
DROP TABLE retirement_requests;
ALTER TABLE new_requests RENAME TO retirement_requests;
CREATE UNIQUE INDEX retirement_requests_gathering ON retirement_requests (tenant, vintage, period)
    WHERE type = 'FRACTIONALISED';
CREATE UNIQUE INDEX retirement_requests_certificate ON retirement_requests (certificate) WHERE certificate IS NOT NULL;
CREATE INDEX retirement_requests_moving ON retirement_requests (status, tenant)
    WHERE retired_at IS NULL;

CREATE TABLE new_items (
    number              INTEGER PRIMARY KEY,
    id                  TEXT NOT NULL,
    request             INTEGER NOT NULL REFERENCES retirement_requests,
    quantity_grams      INTEGER NOT NULL CHECK (quantity_grams > 0),
    created_at          INTEGER NOT NULL,
    retiree_name        TEXT,
    retiree_tax_id      TEXT,
    retiree_country     TEXT,
    external_retiree_id TEXT,
    trade               INTEGER REFERENCES trades
) STRICT;
INSERT INTO new_items SELECT number, id, request, quantity_grams, created_at, retiree_name, retiree_tax_id, retiree_country,
    external_retiree_id, trade FROM retirement_items ORDER BY number;
DROP TABLE retirement_items;
ALTER TABLE new_items RENAME TO retirement_items;
CREATE INDEX retirement_items_of_request ON retirement_items (request, number);
