// Package docs carries the reference pages that `desfecho help` prints, so
// that the program and the folder can never say two things. It holds text and
// nothing else.
package docs

import "embed"

// Help holds the pages of the help topics, one file each, named after its
// topic.
//
//go:embed check.md csv.md database.md decisions.md environment.md exit-codes.md json.md profiles.md providers.md report.md resolve.md stats.md timezones.md
var Help embed.FS
