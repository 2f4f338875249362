-- A row in each table that a step of SQLite builds again.
PRAGMA foreign_keys = ON;
INSERT INTO registries VALUES (1, 'r', 'R');
INSERT INTO projects VALUES (1, 'p', 'P', 'Wind', 'SE', 1, '1', '', '', 1);
INSERT INTO vintages VALUES (1, 'v', 1, 2020, '', 1, 1000);
INSERT INTO tenants VALUES (1, 'T', NULL, NULL);
INSERT INTO sell_orders VALUES (1, 's', 1, 1, 1, 'LIVE', 620, 1000000, NULL);
INSERT INTO periods VALUES (1, '2026-11', 0, NULL);
INSERT INTO invoices VALUES (1, 'i', 1, 1, 'SETTLED', 620, 1);
INSERT INTO trades VALUES (7, 't', 1, 1, 'CAAS', 1, 1, 'BUY', 1000000, 620, 1);
INSERT INTO retirement_requests VALUES (8, 'q', 1, 1, 1, 'WHOLE', 'COMPLETE', 1000000, 0, 1, 1, 7, 1, 'c');
INSERT INTO retirement_items VALUES (9, 'n', 8, 1000000, 1, 'N', NULL, 'SE', NULL, 7);
INSERT INTO external_ids VALUES (1, 'x', 8, 9);
INSERT INTO serial_numbers VALUES (8, 1, 'S', 1);
