-- The retirement that a call serves, and what the call does for it. Both were text: wish, such as
-- 45 g of "004a" from "006a" for ["" "" "" ""], and plan, a JSON object.
DROP TRIGGER call_stays;

ALTER TABLE call ADD COLUMN vintage TEXT NOT NULL DEFAULT '';
ALTER TABLE call ADD COLUMN retiree_id TEXT NOT NULL DEFAULT '';
ALTER TABLE call ADD COLUMN retiree_name TEXT NOT NULL DEFAULT '';
ALTER TABLE call ADD COLUMN retiree_tax_id TEXT NOT NULL DEFAULT '';
ALTER TABLE call ADD COLUMN retiree_country TEXT NOT NULL DEFAULT '';
-- The quantity of the whole retirement, or NULL if it is not known, and the order that the user chose.
ALTER TABLE call ADD COLUMN quantity_grams INTEGER;
ALTER TABLE call ADD COLUMN sell_order TEXT NOT NULL DEFAULT '';
-- The part of the call, and its expected effect. The price is NULL without a purchase.
ALTER TABLE call ADD COLUMN call_grams INTEGER NOT NULL DEFAULT 0;
ALTER TABLE call ADD COLUMN from_inventory_grams INTEGER NOT NULL DEFAULT 0;
ALTER TABLE call ADD COLUMN buy_tonnes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE call ADD COLUMN buy_order TEXT NOT NULL DEFAULT '';
ALTER TABLE call ADD COLUMN price_cents INTEGER;
ALTER TABLE call ADD COLUMN cost_cents INTEGER NOT NULL DEFAULT 0;

UPDATE call SET
    identity = identity(reference),
    vintage = coalesce(plan ->> 'vintage_id', ''),
    retiree_id = coalesce(plan ->> '$.retiree.ID', ''),
    retiree_name = coalesce(plan ->> '$.retiree.Name', ''),
    retiree_tax_id = coalesce(plan ->> '$.retiree.TaxID', ''),
    retiree_country = coalesce(plan ->> '$.retiree.Country', ''),
    call_grams = coalesce(plan ->> 'quantity_grams', 0),
    from_inventory_grams = coalesce(plan ->> 'from_inventory_grams', 0),
    buy_tonnes = coalesce(plan ->> 'buy_tonnes', 0),
    buy_order = coalesce(plan ->> 'sell_order_id', ''),
    price_cents = nullif(coalesce(plan ->> 'price_cents', 0), -1),
    cost_cents = coalesce(plan ->> 'cost_cents', 0);

-- Quotes in a text have a backslash, so the separators below are not part of one.
UPDATE call SET
    quantity_grams = CAST(substr(wish, 1, instr(wish, ' g of "') - 1) AS INTEGER),
    sell_order = replace(replace(replace(
        substr(wish, instr(wish, '" from "') + 8, instr(wish, '" for [') - instr(wish, '" from "') - 8),
        '\\', char(1)), '\"', '"'), char(1), '\')
WHERE wish GLOB '[1-9]* g of "*" from "*" for [[]*]'
  AND substr(wish, 1, instr(wish, ' g of "') - 1) NOT GLOB '*[^0-9]*';

ALTER TABLE call DROP COLUMN wish;
ALTER TABLE call DROP COLUMN plan;

CREATE TRIGGER call_stays AFTER UPDATE OF origin, profile, external_id, batch, reference, identity, body, made_by, made_at,
    vintage, retiree_id, retiree_name, retiree_tax_id, retiree_country, quantity_grams, sell_order,
    call_grams, from_inventory_grams, buy_tonnes, buy_order, price_cents, cost_cents ON call
BEGIN SELECT RAISE(ABORT, 'a call in the journal is never changed'); END;
