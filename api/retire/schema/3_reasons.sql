-- Why a call was not accepted, and who made it, were messages before.
ALTER TABLE call ADD COLUMN turned_away INTEGER NOT NULL DEFAULT 0;
ALTER TABLE call ADD COLUMN elsewhere INTEGER NOT NULL DEFAULT 0;
UPDATE call SET elsewhere = 1, message = '' WHERE state = 'done' AND message = 'another journal made this call before';
UPDATE call SET turned_away = CAST(substr(message, 18) AS INTEGER), message = substr(message, instr(message, ': ') + 2)
WHERE message LIKE 'turned away with %';
