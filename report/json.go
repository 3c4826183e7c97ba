package report

import (
	"bufio"
	"fmt"

	"desfecho/internal/ui"
)

// writeJSON is one object. It is written piece by piece, each element of a list
// on a line of its own, so that neither memory nor a diff suffers from size.
func writeJSON(w *bufio.Writer, d *Document, _ Options) error {
	run, err := wiredRun(d)
	if err != nil {
		return err
	}
	head, err := ui.JSON(run)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "{\"schema\":%d,\"kind\":\"report\",\n\"run\":%s", Schema, head); err != nil {
		return err
	}
	for _, list := range lists(d) {
		if err := writeList(w, list); err != nil {
			return err
		}
	}
	_, err = w.WriteString("\n}\n")
	return err
}

// list is one list of the report: its name in json, the type of its elements
// in ndjson.
type list struct {
	name string
	kind string
	size int
	at   func(i int) any
}

func lists(d *Document) []list {
	r := d.Result
	places := wiredPlaces(r)
	return []list{
		{"divergences", "divergence", len(r.Divergences), func(i int) any { return wiredDivergence(d, &r.Divergences[i]) }},
		{"groups", "group", len(r.Groups), func(i int) any { return wiredGroup(r, r.Groups[i]) }},
		{"places", "place", len(places), func(i int) any { return places[i] }},
		{"transit", "transit", len(r.Transit), func(i int) any { return wiredTransit(r.Transit[i]) }},
		{"bridges", "bridge", len(r.Bridges), func(i int) any { return wiredBridge(r.Bridges[i]) }},
		{"coverage", "coverage", len(r.Statements), func(i int) any { return wiredCoverage(r.Statements[i]) }},
		{"inputs", "input", len(d.Inputs), func(i int) any { return wiredInput(d.Inputs[i]) }},
	}
}

func writeList(w *bufio.Writer, l list) error {
	if _, err := fmt.Fprintf(w, ",\n%q:[", l.name); err != nil {
		return err
	}
	for i := range l.size {
		separator := ",\n "
		if i == 0 {
			separator = "\n "
		}
		element, err := ui.JSON(l.at(i))
		if err != nil {
			return err
		}
		if _, err := w.WriteString(separator); err != nil {
			return err
		}
		if _, err := w.Write(element); err != nil {
			return err
		}
	}
	return w.WriteByte(']')
}

// writeNDJSON is one object per line, each with its schema and type; the run
// comes first.
func writeNDJSON(w *bufio.Writer, d *Document, _ Options) error {
	run, err := wiredRun(d)
	if err != nil {
		return err
	}
	if err := writeTyped(w, "run", run); err != nil {
		return err
	}
	for _, l := range lists(d) {
		for i := range l.size {
			if err := writeTyped(w, l.kind, l.at(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeTyped(w *bufio.Writer, kind string, value any) error {
	body, err := ui.JSON(value)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "{\"schema\":%d,\"type\":%q,%s\n", Schema, kind, body[1:])
	return err
}
