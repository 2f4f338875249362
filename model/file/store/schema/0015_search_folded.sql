-- Values are searched without diacritics: the next search adds all rows again.
DELETE FROM retirement_search;
