package tabular

// Error is a place in a file that cannot be read, and why.
type Error struct {
	File    string
	Line    int // from 1; 0 where the whole file is meant
	Column  int // CSV: number of the cell from 1; JSON: byte of the line from 1; 0 where none is meant
	Heading string
	Value   string
	Problem string
	Hint    string
}

func (e *Error) Error() string { return e.Problem }
