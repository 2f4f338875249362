-- Calls are found whatever the profile that made them.
CREATE INDEX call_of_id ON call (origin, external_id);
CREATE INDEX call_of_reference ON call (origin, reference);
