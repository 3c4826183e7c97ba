package ui

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

// Progress is a bar on the error stream, or nothing at all: its methods may be
// called either way. It is safe for several goroutines.
type Progress struct{ bar *progressbar.ProgressBar }

// Progress starts a bar of total steps. There is none where the error stream is
// no terminal or a dumb one, with -q, and where the total is not known or 0.
func (s Streams) Progress(label string, total int64) *Progress {
	if !s.ErrTerminal || s.ASCII || s.Quiet || total <= 0 {
		return &Progress{}
	}
	return &Progress{progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(s.Err), // the library's own default is stdout
		progressbar.OptionSetVisibility(true),
		progressbar.OptionSetDescription(Clean(label).String()),
		progressbar.OptionSetWidth(20),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)}
}

// Add moves the bar on. A bar that cannot be drawn is no failure of the work.
func (p *Progress) Add(steps int64) {
	if p.bar != nil {
		_ = p.bar.Add64(steps)
	}
}

// Total says how many steps there are after all.
func (p *Progress) Total(total int64) {
	if p.bar != nil && total > 0 {
		p.bar.ChangeMax64(total)
	}
}

// Describe words what is under way.
func (p *Progress) Describe(label string) {
	if p.bar != nil {
		p.bar.Describe(Clean(label).String())
	}
}

// Done takes the bar away, also when the work ended early.
func (p *Progress) Done() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
