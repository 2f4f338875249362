-- Orders with less than a tonne that an older version left in the market.
INSERT INTO registries VALUES (1, '005a', 'VERRA');
INSERT INTO projects VALUES (1, '003a', 'A', 'Wind', 'AR', 1, '', '', '', 3), (2, '003b', 'B', 'Wind', 'AR', 1, '', '', '', 1);
INSERT INTO vintages VALUES (1, '004a', 1, 2020, '', 1, 1), (2, '004b', 2, 2020, '', 1, 1);
INSERT INTO tenants (number, name, country) VALUES (1, 'Seller', 'SE');
INSERT INTO wallets VALUES (1, 1, 1, 'CAAS', 5);
INSERT INTO sell_orders VALUES (1, '006a', 1, 1, 1, 'LIVE', 9, 1000000, NULL), (2, '006b', 1, 1, 1, 'LIVE', 9, 999999, NULL),
	(3, '006c', 1, 1, 1, 'LIVE', 9, 20, NULL), (4, '006d', 2, 2, 1, 'LIVE', 9, 300, NULL),
	(5, '006e', 1, 1, 1, 'WITHDRAWN', 9, 300, 1);
