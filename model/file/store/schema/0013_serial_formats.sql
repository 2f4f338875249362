-- More formats of serial numbers are known: the next search adds all rows again.
DELETE FROM retirement_search;
