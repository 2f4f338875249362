-- What the operator brings: the roles of tenants, credits that sellers own,
-- and the documents of registries.

-- The role that a new key of the tenant has where none is named.
ALTER TABLE tenants ADD COLUMN role TEXT NOT NULL DEFAULT 'API User';

-- Where the credits of a sell order come from and where they go: TAKEN_IN from
-- the seller's account in the registry into the wallet, OFFERED out of the
-- wallet into the order, RETURNED from the order into the wallet.
CREATE TABLE transfers (
    number         INTEGER PRIMARY KEY,
    tenant         INTEGER NOT NULL REFERENCES tenants,
    vintage        INTEGER NOT NULL REFERENCES vintages,
    sell_order     INTEGER NOT NULL REFERENCES sell_orders,
    type           TEXT NOT NULL CHECK (type IN ('TAKEN_IN', 'OFFERED', 'RETURNED')),
    quantity_grams INTEGER NOT NULL CHECK (quantity_grams > 0),
    at             INTEGER NOT NULL
) STRICT;
CREATE INDEX transfers_of_order ON transfers (sell_order);

-- The registry's own certificate of a request; without it the service prints
-- one.
CREATE TABLE certificate_files (
    request INTEGER PRIMARY KEY REFERENCES retirement_requests,
    pdf     BLOB NOT NULL
) STRICT;

-- What a project was called until a time: a certificate goes on saying what
-- it said.
CREATE TABLE former_projects (
    number          INTEGER PRIMARY KEY,
    project         INTEGER NOT NULL REFERENCES projects,
    until           INTEGER NOT NULL,
    name            TEXT NOT NULL,
    type            TEXT NOT NULL,
    country         TEXT NOT NULL,
    registry_name   TEXT NOT NULL,
    registry_number TEXT NOT NULL,
    registry_url    TEXT NOT NULL
) STRICT;
CREATE INDEX former_projects_of_project ON former_projects (project, until, number);

-- What an import and the registry's serial numbers are looked up by.
CREATE INDEX projects_named ON projects (registry, name);
CREATE INDEX serial_numbers_of_any ON serial_numbers (serial);
CREATE INDEX retirement_requests_retired ON retirement_requests (vintage) WHERE retired_at IS NOT NULL;

-- Nobody can buy less than a tonne: what is left of such an order goes back to
-- its seller.
INSERT INTO transfers (tenant, vintage, sell_order, type, quantity_grams, at)
SELECT seller, vintage, number, 'RETURNED', quantity_grams, CAST(unixepoch() AS INTEGER) * 1000
FROM sell_orders WHERE state = 'LIVE' AND quantity_grams BETWEEN 1 AND 999999;
INSERT INTO wallets (tenant, project, vintage, type, quantity_grams)
SELECT seller, project, vintage, 'CAAS', sum(quantity_grams) FROM sell_orders
WHERE state = 'LIVE' AND quantity_grams BETWEEN 1 AND 999999 GROUP BY seller, project, vintage
ON CONFLICT (tenant, project, vintage, type) DO UPDATE SET quantity_grams = quantity_grams + excluded.quantity_grams;
UPDATE projects SET live_orders = live_orders -
    (SELECT count(*) FROM sell_orders s WHERE s.project = projects.number AND s.state = 'LIVE' AND s.quantity_grams < 1000000);
UPDATE sell_orders SET state = 'SOLD', quantity_grams = 0, ended_at = CAST(unixepoch() AS INTEGER) * 1000
WHERE state = 'LIVE' AND quantity_grams < 1000000;
UPDATE market_state SET version = version + 1, listing = listing + 1;
