-- What each project of the market has been through: version grows with every
-- change of one of its sell orders, listing whenever it enters or leaves the
-- market. mark is drawn anew with each: a version that is counted twice, before
-- and after an older copy of the file was put back, has another.
CREATE TABLE market_projects (
    project INTEGER PRIMARY KEY REFERENCES projects,
    version INTEGER NOT NULL,
    listing INTEGER NOT NULL,
    mark    INTEGER NOT NULL
) STRICT;

-- The whole market is one row, so that who asks for it reads no more.
ALTER TABLE market_state ADD COLUMN mark INTEGER NOT NULL DEFAULT 0;
CREATE TRIGGER market_project_added AFTER INSERT ON market_projects BEGIN
    UPDATE market_state SET version = version + NEW.version, listing = listing + NEW.listing, mark = NEW.mark WHERE only = 1;
END;
CREATE TRIGGER market_project_moved AFTER UPDATE ON market_projects BEGIN
    UPDATE market_state SET version = version + NEW.version - OLD.version, listing = listing + NEW.listing - OLD.listing,
        mark = NEW.mark WHERE only = 1;
END;
