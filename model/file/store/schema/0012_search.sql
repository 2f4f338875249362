-- What finds each request, so that a search reads only the requests that it prints. The next
-- search adds missing rows. fraction is 1 if calls may have moved to or from the request, dated
-- if the time of its creation is known.
CREATE TABLE retirement_search (
  origin    INTEGER NOT NULL,
  id        TEXT NOT NULL,
  project   TEXT NOT NULL,
  fraction  INTEGER NOT NULL,
  dated     INTEGER NOT NULL,
  reference TEXT NOT NULL,
  batch     TEXT NOT NULL,
  text      TEXT NOT NULL,
  claims    BLOB NOT NULL,
  PRIMARY KEY (origin, id),
  FOREIGN KEY (origin, id) REFERENCES retirement ON DELETE CASCADE
) STRICT;

CREATE INDEX retirement_search_project ON retirement_search (origin, project);

-- The number of calls in the journal when the rows were written.
CREATE TABLE retirement_search_calls (
  origin INTEGER PRIMARY KEY REFERENCES origin,
  calls  INTEGER NOT NULL
) STRICT;

CREATE TRIGGER retirement_search_changed AFTER UPDATE OF label, answer ON retirement
WHEN NEW.label <> OLD.label OR NEW.answer IS NOT OLD.answer
BEGIN DELETE FROM retirement_search WHERE origin = OLD.origin AND id = OLD.id; END;

-- Calls may have moved through the request into others.
CREATE TRIGGER retirement_search_removed AFTER DELETE ON retirement
BEGIN UPDATE retirement_search_calls SET calls = -1 WHERE origin = OLD.origin; END;

CREATE TRIGGER retirement_search_project_added AFTER INSERT ON project
BEGIN DELETE FROM retirement_search WHERE origin = NEW.origin AND project = NEW.project_id; END;

CREATE TRIGGER retirement_search_project_changed AFTER UPDATE OF details ON project
WHEN NEW.details <> OLD.details
BEGIN DELETE FROM retirement_search WHERE origin = NEW.origin AND project = NEW.project_id; END;
