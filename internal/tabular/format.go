package tabular

import (
	"bytes"
	"strings"
)

// refusal is a sort of file that is no table of text.
type refusal struct{ problem, hint string }

const exportAgain = "export it as CSV (or JSON) and give that file"

// binary knows files by their first bytes, before any decoding.
func binary(head []byte) *refusal {
	switch {
	case bytes.HasPrefix(head, []byte("\xD0\xCF\x11\xE0")):
		return &refusal{"this is an old Excel workbook (.xls), not a table of text", exportAgain}
	case bytes.HasPrefix(head, []byte("PK\x03\x04")) && bytes.Contains(head, []byte("xl/")):
		return &refusal{"this is an Excel workbook (.xlsx), not a table of text", exportAgain}
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return &refusal{"this is a zip archive, not a table of text", "unpack it and give the file inside"}
	case bytes.HasPrefix(head, []byte("\x1F\x8B")):
		return &refusal{"this is a gzip archive, not a table of text", "unpack it (gunzip) and give the file inside"}
	case bytes.HasPrefix(head, []byte("%PDF")):
		return &refusal{"this is a PDF, not a table of text", exportAgain}
	}
	return nil
}

// foreign knows files by the beginning of their text.
func foreign(text []byte) *refusal {
	head := strings.ToLower(string(bytes.TrimLeft(text[:min(len(text), 4096)], " \t\r\n")))
	ofx := &refusal{"this is an OFX file, which is not read", exportAgain}
	switch {
	case strings.HasPrefix(head, "ofxheader"):
		return ofx
	case !strings.HasPrefix(head, "<"):
		return nil
	case strings.Contains(head, "<ofx>"):
		return ofx
	}
	for _, tag := range []string{"<html", "<!doctype html", "<head", "<body", "<table"} {
		if strings.Contains(head, tag) {
			return &refusal{
				"this is a web page, not a table of text",
				"the download met a login or error page (or the page was saved as .xls): sign in, export as CSV and try again",
			}
		}
	}
	if strings.HasPrefix(head, "<?xml") || strings.HasPrefix(head, "<document") {
		return &refusal{"this is an XML file, which is not read", exportAgain}
	}
	return nil
}
