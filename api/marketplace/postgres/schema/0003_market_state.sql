-- The state of the whole market is a row and what was changed since it was
-- written: who asks for it does not sum up all projects, and no two changes of
-- different projects want the same row.
CREATE TABLE market_total (
    one     boolean PRIMARY KEY DEFAULT true CHECK (one),
    version bigint NOT NULL,
    listing bigint NOT NULL,
    mark    bigint NOT NULL
);
-- Each row is one change of a project. Now and then they are added to the total
-- and deleted.
CREATE TABLE market_changes (
    version bigint NOT NULL,
    listing bigint NOT NULL,
    mark    bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

CREATE FUNCTION market_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO market_changes (version, listing, mark) VALUES (NEW.version, NEW.listing, NEW.mark);
    ELSE
        INSERT INTO market_changes (version, listing, mark)
        VALUES (NEW.version - OLD.version, NEW.listing - OLD.listing, NEW.mark # OLD.mark);
    END IF;
    RETURN NULL;
END $$;
-- It waits for changes that are under way, so that the sum below has them.
CREATE TRIGGER market_moved AFTER INSERT OR UPDATE ON market_projects FOR EACH ROW EXECUTE FUNCTION market_moved();

INSERT INTO market_total (version, listing, mark)
SELECT coalesce(sum(version), 0), coalesce(sum(listing), 0), coalesce(bit_xor(mark), 0) FROM market_projects;

CREATE OR REPLACE VIEW market_state AS
    SELECT t.version + c.version + 1 AS version, t.listing + c.listing + 1 AS listing, t.mark # c.mark AS mark
    FROM market_total t CROSS JOIN (
        SELECT coalesce(sum(version), 0)::bigint AS version, coalesce(sum(listing), 0)::bigint AS listing, coalesce(bit_xor(mark), 0) AS mark
        FROM market_changes
    ) c;
