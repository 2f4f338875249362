-- The rules of the steps before. What is read of a file that cannot be brought to
-- this step goes the same way.
INSERT OR IGNORE INTO alert_rule (origin, project_id, vintage_id, request_id, rule)
  SELECT origin, project_id, vintage_id, '', rule FROM rule;
INSERT OR IGNORE INTO alert_rule (origin, project_id, vintage_id, request_id, rule)
  SELECT origin, '', '', request_id, rule FROM request_rule;
INSERT OR IGNORE INTO alert_look (rule, origin, id, holds, best_ask, last_paid, available, status)
  SELECT r.id, NULL, '', old.holds, best_ask, last_paid, available, ''
  FROM rule_look JOIN rule old USING (origin, project_id, vintage_id, rule)
  JOIN alert_rule r USING (origin, project_id, vintage_id, rule) WHERE r.request_id = '';
INSERT OR IGNORE INTO alert_look (rule, origin, id, holds, status)
  SELECT r.id, l.origin, l.id, l.holds, l.status
  FROM request_look l JOIN alert_rule r USING (origin, request_id, rule) WHERE r.project_id = '';
DELETE FROM rule;
DELETE FROM request_rule;
