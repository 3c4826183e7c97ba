package profile

import (
	"fmt"

	yaml "go.yaml.in/yaml/v3"
)

// document is the YAML form of a profile.
type document struct {
	Profile  string `yaml:"profile"`
	Kind     string `yaml:"kind"`
	Extends  string `yaml:"extends"`
	Title    string `yaml:"title"`
	Hint     string `yaml:"hint"`
	Provider string `yaml:"provider"`
	Account  string `yaml:"account"`
	Accounts string `yaml:"accounts"`
	Records  string `yaml:"records"`

	Pages   pageDocument   `yaml:"pages"`
	Text    textDocument   `yaml:"text"`
	Amounts amountDocument `yaml:"amounts"`
	Dates   dateDocument   `yaml:"dates"`

	Columns      map[string]columnList `yaml:"columns"`
	Required     []string              `yaml:"required"`
	Unless       []string              `yaml:"unless"`
	Ignore       []string              `yaml:"ignore"`
	OtherColumns string                `yaml:"other_columns"`
	References   []referenceDocument   `yaml:"references"`
	Units        []unitDocument        `yaml:"units"`

	Sort          string              `yaml:"sort"`
	LineIDs       string              `yaml:"line_ids"`
	Kinds         map[string][]string `yaml:"kinds"`
	SignWins      bool                `yaml:"sign_wins"`
	Information   []string            `yaml:"information"`
	Opening       []string            `yaml:"opening"`
	Closing       []string            `yaml:"closing"`
	Still         []string            `yaml:"still"`
	Moved         []string            `yaml:"moved"`
	States        map[string][]string `yaml:"states"`
	Expected      []string            `yaml:"expected"`
	PayoutMembers string              `yaml:"payout_members"`
	PublishLag    string              `yaml:"publish_lag"`

	Variation    map[string]int64  `yaml:"variation"`
	BooksAfter   string            `yaml:"books_after"`
	BooksAfterBy map[string]string `yaml:"books_after_by"`

	SucceededMeans map[string]string   `yaml:"succeeded_means"`
	Status         map[string][]string `yaml:"status"`
	Operations     map[string][]string `yaml:"operations"`
	Reserves       map[string][]string `yaml:"reserves"`
}

type pageDocument struct {
	More  string `yaml:"more"`
	Total string `yaml:"total"`
}

type textDocument struct {
	Encoding  string `yaml:"encoding"`
	Delimiter string `yaml:"delimiter"`
}

type amountDocument struct {
	Unit      string         `yaml:"unit"`
	Mark      string         `yaml:"mark"`
	Currency  string         `yaml:"currency"`
	Debit     []string       `yaml:"debit"`
	Credit    []string       `yaml:"credit"`
	Fees      string         `yaml:"fees"`
	Exponents map[string]int `yaml:"exponents"`
}

type dateDocument struct {
	Layouts []string `yaml:"layouts"`
	Zone    string   `yaml:"zone"`
	UTC     []string `yaml:"utc"`
}

type referenceDocument struct {
	Name    string     `yaml:"name"`
	Scope   string     `yaml:"scope"`
	Kinds   []string   `yaml:"kinds"`
	Columns columnList `yaml:"columns"`
}

type unitDocument struct {
	Kinds  []string   `yaml:"kinds"`
	Unit   columnList `yaml:"unit"`
	Parent columnList `yaml:"parent"`
	Payout columnList `yaml:"payout"`
}

// columnDocument is the long form of a column.
type columnDocument struct {
	Heading string `yaml:"heading"`
	Path    string `yaml:"path"`
}

// columnList is one heading or a list of them; each may be in the long form.
type columnList []Column

// UnmarshalYAML reads `id`, `[id, "ID da linha"]` and `{heading: body, path: id}`.
func (l *columnList) UnmarshalYAML(node *yaml.Node) error {
	nodes := []*yaml.Node{node}
	if node.Kind == yaml.SequenceNode {
		nodes = node.Content
	}
	*l = columnList{}
	for _, n := range nodes {
		var column columnDocument
		if n.Kind == yaml.ScalarNode {
			column.Heading = n.Value
		} else if n.Kind != yaml.MappingNode {
			return fmt.Errorf("line %d: a column is a heading, or {heading: …, path: …}", n.Line)
		} else if err := n.Decode(&column); err != nil {
			return err
		}
		if column.Heading == "" {
			return fmt.Errorf("line %d: a column needs a heading", n.Line)
		}
		*l = append(*l, Column(column))
	}
	return nil
}
