-- The rows of a file with separate tables of rules on vintages and on requests, each with a rule that was true at its
-- last check.
PRAGMA application_id = 0x746f6e31;
PRAGMA user_version = 10;
INSERT INTO origin VALUES (1, 'https://market.example');
INSERT INTO watch VALUES (1, '003a', '004a');
INSERT INTO rule VALUES (1, '003a', '004a', 'best ask ≤ $6.00', 1), (1, '003a', '004a', 'best ask ≤ $5.00', 0);
INSERT INTO rule_look VALUES (1, '003a', '004a', 'best ask ≤ $6.00', 590, NULL, 5000000), (1, '003a', '004a', 'best ask ≤ $5.00', 590, NULL, 5000000);
INSERT INTO retirement (origin, id, first_seen, status, answer, answered_at) VALUES (1, '00m1', 1770552000000, 'CLOSED', '{"ID":"00m1","Status":"CLOSED"}', 1770552000000);
INSERT INTO retirement_state VALUES (1, '00m1', 'CLOSED', 1770552000000);
INSERT INTO request_rule VALUES (1, '', 'changes state'), (1, '00m1', 'becomes CLOSED');
INSERT INTO request_look VALUES (1, '', 'changes state', '00m1', 'CLOSED', 0), (1, '00m1', 'becomes CLOSED', '00m1', 'CLOSED', 1);
