// Package shop is a reference merchant over a real database: it submits
// charges in three phases with the key stored before the call, looks unknown
// outcomes up, takes webhooks, and keeps reserves for money that goes out. It
// shows what the attempts of a careful merchant look like, and, behind one
// Twin each, what they look like when one rule is broken.
//
// It is for demonstrations and tests and never talks to anything but the
// loopback provider it is given. It reads no clock, draws no key and sleeps
// never by itself, and it opens no database. Its only goroutines are those of a
// Stage's listeners, which end with it.
package shop

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Clock is the time that the shop lives in.
type Clock interface {
	Now() time.Time
	// WithTimeout is a context that is done when the clock has moved on by d.
	WithTimeout(parent context.Context, d time.Duration) (context.Context, context.CancelFunc)
}

// Endpoint is a provider that the shop pays through.
type Endpoint struct {
	Name  string // in the provider column
	URL   string
	Token string
}

// Settings is what a shop needs. Everything is required but what names its
// default.
type Settings struct {
	DB        *sql.DB
	Dialect   Dialect
	Clock     Clock
	NewKey    func() string // a fresh random UUID
	Client    *http.Client
	Providers []Endpoint
	// Cobranca names the provider of the cobranca service; empty: the first.
	Cobranca string
	// Zone is that of the columns without zone; nil: UTC.
	Zone        *time.Location
	Timeout     time.Duration // of one HTTP try; 0: 10 s
	OrphanAfter time.Duration // 0: 15 min
	Twin        Twin
	// Step is called at every Step; an error is the death of the process there.
	// Nil: nothing.
	Step func(context.Context, Step) error
}

// Step is a point in a flow at which a process can die or another one can
// come in between.
type Step uint8

// Before the attempt is inserted (the broken twin has looked already); after
// it was inserted, before the call; after the reply, before it is recorded;
// after an event was stored, before it is processed.
const (
	BeforeInsert Step = iota
	AfterInsert
	AfterReply
	AfterEvent
)

// Shop is one merchant.
type Shop struct {
	Settings
}

// The reasons why an attempt is not made. Nothing was written or sent.
var (
	// ErrOpen: another attempt of the charge is open; wait for its outcome.
	ErrOpen = errors.New("an attempt of this charge is still open")
	// ErrSettled: the charge is paid, or waits for its payer.
	ErrSettled = errors.New("the charge is settled already")
	// ErrNoCharge: there is no such charge.
	ErrNoCharge = errors.New("no such charge")
)

// New opens a shop on a database that has its schema (see Install).
func New(s Settings) *Shop {
	s.Timeout = cmp.Or(s.Timeout, 10*time.Second)
	s.OrphanAfter = cmp.Or(s.OrphanAfter, 15*time.Minute)
	if s.Zone == nil {
		s.Zone = time.UTC
	}
	if s.Step == nil {
		s.Step = func(context.Context, Step) error { return nil }
	}
	if s.Client != nil { // a redirect is no answer of a payments API
		client := *s.Client
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		s.Client = &client
	}
	if s.Cobranca == "" && len(s.Providers) > 0 {
		s.Cobranca = s.Providers[0].Name
	}
	return &Shop{s}
}

func (s *Shop) endpoint(name string) (Endpoint, error) {
	for _, e := range s.Providers {
		if e.Name == name {
			return e, nil
		}
	}
	return Endpoint{}, fmt.Errorf("provider %q is not one of the shop's", name)
}

// inTx runs work in one transaction. Where work fails nothing is written.
func (s *Shop) inTx(ctx context.Context, work func(tx *sql.Tx) error) error {
	tx, err := s.DB.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to roll back
	if err := work(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

const wallTime = "2006-01-02 15:04:05.000000"

// now is the present instant as columns without zone hold it: wall time of
// the shop's zone.
func (s *Shop) now() string { return s.wall(s.Clock.Now()) }

func (s *Shop) wall(t time.Time) string { return t.In(s.Zone).Format(wallTime) }

// instant reads a column without zone that was selected as text.
func (s *Shop) instant(text string) (time.Time, error) {
	return time.ParseInLocation("2006-01-02 15:04:05.999999", text, s.Zone)
}
