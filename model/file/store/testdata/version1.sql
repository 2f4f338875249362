-- The rows of a file of the first version of this program, with something of each kind.
PRAGMA application_id = 0x746f6e31;
PRAGMA user_version = 1;
INSERT INTO origin VALUES (1, 'https://market.example');
INSERT INTO project VALUES (1, '003a', 1770552000000, '{"ID":"003a","Name":"Bale Mountains"}');
INSERT INTO vintage VALUES (1, 1, '003a', '004a', 1770552000000, 620, 5000000, 1770552000000);
INSERT INTO observation VALUES (1, 1770552000000, 620, 5000000);
INSERT INTO watch VALUES (1, '003a', '004a');
INSERT INTO rule VALUES (1, '003a', '004a', 'best ask ≤ $6.00', 0);
INSERT INTO retirement (origin, id, first_seen, label, label_at, status, answer, answered_at)
	VALUES (1, '00m1', 1770552000000, 'Q3 flights', 1770552000000, 'CLOSED', '{"ID":"00m1","Status":"CLOSED"}', 1770552000000);
