package tabular

// delimiters in the order that wins where nothing else decides: the rarer
// within texts first.
var delimiters = [...]byte{'\t', '|', ';', ','}

// sampled is how many records are looked at to find delimiter and headings.
const sampled = 200

// fit says how well a delimiter cuts a sample.
type fit struct {
	heading bool // a row is the heading row
	usual   int  // the number of cells that most rows have
	agrees  bool // the heading row has that number too
	rows    int
	same    int // rows that have it
}

// delimiterOf finds the delimiter that cuts the sample into rows of one
// length, best of all with a row that the caller knows as headings. The last
// row counts only where the sample is the whole file.
func delimiterOf(sample []byte, isWhole bool, header func([]string) bool) byte {
	best, bestFit := byte(','), fit{}
	for _, delim := range delimiters {
		f := fitOf(sample, delim, isWhole, header)
		if f.usual > 1 && f.better(bestFit) {
			best, bestFit = delim, f
		}
	}
	return best
}

func fitOf(sample []byte, delim byte, isWhole bool, header func([]string) bool) fit {
	var f fit
	rows := rowsOf(sample, delim, isWhole)
	first := 0
	for i, row := range rows {
		if header != nil && header(row.cells()) {
			first, f.heading = i, true
			break
		}
	}
	if len(rows) == 0 {
		return f
	}
	counts := map[int]int{}
	for _, row := range rows[first+1:] {
		counts[row.Len()]++
		f.rows++
	}
	heading := rows[first].Len()
	f.usual, f.agrees = heading, true
	for count, n := range counts {
		if n > f.same || n == f.same && count > f.usual {
			f.usual, f.same = count, n
		}
	}
	f.agrees = f.usual == heading
	return f
}

func rowsOf(sample []byte, delim byte, isWhole bool) []Row {
	src := &source{buf: sample, end: len(sample), err: errEnd}
	read := newRecords(src, delim, 1, defaultMaxField)
	var rows []Row
	for len(rows) < sampled {
		row, err := read.next()
		if err != nil {
			break
		}
		rows = append(rows, row)
	}
	if !isWhole && src.pos == src.end && len(rows) > 1 {
		rows = rows[:len(rows)-1] // the sample's end may cut it
	}
	return rows
}

func (f fit) better(than fit) bool {
	switch {
	case f.heading != than.heading:
		return f.heading
	case f.agrees != than.agrees:
		return f.agrees
	}
	if a, b := f.same*max(than.rows, 1), than.same*max(f.rows, 1); a != b {
		return a > b
	}
	return f.usual > than.usual
}
