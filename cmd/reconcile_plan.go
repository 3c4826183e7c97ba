package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"desfecho/internal/payment"
	"desfecho/internal/profile"
	"desfecho/internal/store/file"
	"desfecho/providers/statementfile"
)

// statementSource is one --statement with what flags, configuration and
// profile say of it.
type statementSource struct {
	path    string
	options statementfile.Options
}

// plan settles provider, account, mode and zone of each statement: the flag,
// else the configuration, else the profile.
func (r *run) plan() error {
	for i, path := range r.o.statements {
		source, err := r.planStatement(i, path)
		if err != nil {
			return err
		}
		r.statements = append(r.statements, source)
	}
	return r.planAttempts()
}

func (r *run) planStatement(i int, path string) (statementSource, error) {
	o := statementfile.Options{
		Provider: each(r.o.providers, i), Account: each(r.o.accounts, i), Mode: each(r.o.parsed.modes, i),
		Zone: each(r.o.parsed.zones, i), Encoding: each(r.o.encodings, i), Name: r.statementName(i), FileIndex: int32(i), Now: r.now,
	}
	p, err := r.profileOf(each(r.o.profiles, i), path, each(r.o.encodings, i), profile.KindStatement)
	if err != nil {
		return statementSource{}, err
	}
	o.Profile = p
	if o.Provider == "" {
		o.Provider = r.providerOf(p)
	}
	if entry, ok := r.config.provider(o.Provider, o.Account, each(r.o.modes, i)); ok {
		if err := fill(&o, entry, len(r.o.modes) > 0); err != nil {
			return statementSource{}, err
		}
	}
	if len(r.o.parsed.covers) > 0 {
		covers := each(r.o.parsed.covers, i).in(zoneOf(o.Zone, p))
		if err := profile.CheckPeriod("--covers", covers, r.now); err != nil {
			return statementSource{}, err
		}
		o.Covers = &covers
	}
	return statementSource{path: path, options: o}, nil
}

// statementName is the name that reports use: the file's own, or its whole
// path where two files have one name.
func (r *run) statementName(i int) string {
	path := r.o.statements[i]
	name := filepath.Base(path)
	for j, other := range r.o.statements {
		if j != i && filepath.Base(other) == name {
			return path
		}
	}
	return name
}

// providerOf is the provider of a statement that no flag names: its profile's,
// else the only one that is configured. "" leaves it to the file.
func (r *run) providerOf(p *profile.Profile) string {
	if p != nil && p.Provider != "" {
		return p.Provider
	}
	if len(r.config.Providers) == 1 {
		return r.config.Providers[0].Name
	}
	return ""
}

// fill takes from the configuration what no flag said.
func fill(o *statementfile.Options, entry ProviderConfig, modeGiven bool) error {
	if o.Account == "" {
		o.Account = entry.Account
	}
	if entry.Mode != "" && !modeGiven {
		mode, err := payment.ParseMode(entry.Mode)
		if err != nil {
			return entry.problem(err)
		}
		o.Mode = mode
	}
	if entry.Timezone != "" && o.Zone == nil {
		zone, err := loadZone(entry.Timezone)
		if err != nil {
			return entry.problem(fmt.Errorf("timezone: %w", err))
		}
		o.Zone = zone
	}
	return nil
}

func (r *run) planAttempts() error {
	p, err := r.profileOf(r.o.attemptsProfile, r.o.attempts, r.o.attemptsEncoding, profile.KindAttempts)
	if err != nil {
		return err
	}
	o := file.Options{Profile: p, Zone: r.cellZone(p), Encoding: r.o.attemptsEncoding, Now: r.now}
	for _, written := range r.o.parsed.attemptsCover {
		covers := written.in(r.attemptsZone(p))
		if err := profile.CheckPeriod("--attempts-cover", covers, r.now); err != nil {
			return err
		}
		o.Covers = append(o.Covers, covers)
	}
	r.attempts = o
	return nil
}

// cellZone is what instants of the attempts that have no zone are read in:
// --attempts-zone, else what the profile says, else the zone of the account
// that they are compared with. nil leaves it to the reader.
func (r *run) cellZone(p *profile.Profile) *time.Location {
	if p == nil && r.o.parsed.attemptsZone == nil {
		return each(r.o.parsed.zones, 0)
	}
	return r.attemptsZone(p)
}

// attemptsZone is the zone of a date in --attempts-cover: the attempts' own,
// else that of the account they are compared with.
func (r *run) attemptsZone(p *profile.Profile) *time.Location {
	if zone := r.o.parsed.attemptsZone; zone != nil {
		return zone
	}
	if p != nil && p.Dates.Zone != nil || len(r.statements) == 0 {
		return zoneOf(nil, p)
	}
	first := r.statements[0].options
	return zoneOf(first.Zone, first.Profile)
}

// profileOf loads the profile that was named, else finds the one that fits the
// file: what is configured of its provider must be known before it is read. nil
// where that cannot be found out; the reader then says why.
func (r *run) profileOf(named, path, encoding, kind string) (*profile.Profile, error) {
	if named != "" {
		return profile.Load(named)
	}
	return r.detect(path, encoding, kind), nil
}

func (r *run) detect(path, encoding, kind string) (found *profile.Profile) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil // a pipe can be read only once
	}
	source, release, err := profile.OpenFile(path, profile.SourceOptions{Name: path, Kind: kind, Encoding: encoding})
	if err != nil {
		return nil
	}
	defer release()
	_, err = source.Each(context.Background(), func(b *profile.Binding) error {
		found = b.Profile
		return errKnown
	}, nil)
	if !errors.Is(err, errKnown) {
		return nil
	}
	return found
}

// errKnown ends a reading that only had to find the profile.
var errKnown = errors.New("the profile is known")

// zoneOf is the zone that a statement's days are in.
func zoneOf(said *time.Location, p *profile.Profile) *time.Location {
	if said != nil {
		return said
	}
	if p != nil && p.Dates.Zone != nil {
		return p.Dates.Zone
	}
	return time.UTC
}

// distinct lists the values that differ, sorted, without the empty one.
func distinct(values []string) []string {
	values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" })
	slices.Sort(values)
	return slices.Compact(values)
}
