package cmd

import (
	"io"
	"log/slog"
)

// newLog is the log on the standard error. Errors do not go there: they are
// returned, and told once at the end.
func newLog(w io.Writer, o *globalOptions) *slog.Logger {
	level := slog.LevelWarn
	if o.verbose {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level}
	if o.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
