package exchange

// MovedColumns are the columns that Move copies, as table.column.
func MovedColumns() []string {
	var all []string
	for _, t := range append(tables[:len(tables):len(tables)], marketVersions) {
		for _, c := range t.columns {
			all = append(all, t.name+"."+c)
		}
	}
	return all
}
