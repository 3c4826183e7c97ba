package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"desfecho/internal/secret"
	merchant "desfecho/internal/shop"
)

// demoScheme begins the base_url of a loopback provider that is not there yet:
// the rest names a demo's folder, which holds the providers as the story left
// them. They stand still at its end; no command changes them.
const demoScheme = "demo:"

// demoState is the file of a demo's folder that keeps its providers.
const demoState = "providers.json"

// savedStage is what stands in it.
type savedStage struct {
	Began     time.Time                  `json:"began"`
	Ended     time.Time                  `json:"ended"`
	Zone      string                     `json:"zone"`
	Providers map[string]json.RawMessage `json:"providers"`
}

// saveStage puts the story's providers into the folder.
func saveStage(folder string, began time.Time, s *merchant.Story) error {
	states, err := s.Save()
	if err != nil {
		return err
	}
	saved := savedStage{Began: began, Ended: s.Clock.Now(), Zone: merchant.StoryZone, Providers: map[string]json.RawMessage{}}
	for name, state := range states {
		saved.Providers[name] = state
	}
	text, err := json.Marshal(saved)
	if err != nil {
		return fmt.Errorf("save the demo's providers: %w", err)
	}
	return putDemoFile(folder, demoState, string(text)+"\n")
}

// demoStages are the providers of demos that one command line started. They
// listen on loopback and end with it.
type demoStages map[string]*merchant.Stage // by folder

// serve gives the address and the token of a provider, which is started with
// the others of its folder on first use.
func (s demoStages) serve(folder, name string) (address string, token secret.Secret, err error) {
	stage := s[folder]
	if stage == nil {
		if stage, err = openStage(folder); err != nil {
			return "", "", err
		}
		s[folder] = stage
	}
	for _, r := range stage.Readers {
		if r.Name == name {
			return r.URL + "/v1", secret.Secret(r.Token), nil
		}
	}
	return "", "", fmt.Errorf("the demo in %s has no provider of that name", folder)
}

// close ends the providers.
func (s demoStages) close() error {
	var all []error
	for folder, stage := range s {
		all = append(all, stage.Close())
		delete(s, folder)
	}
	return errors.Join(all...)
}

func openStage(folder string) (*merchant.Stage, error) {
	text, err := os.ReadFile(filepath.Join(folder, demoState)) //nolint:gosec // the configuration names the folder
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no demo in %s, seen from the folder you are in: %w", folder, err)
	}
	if err != nil {
		return nil, err
	}
	var saved savedStage
	if err := json.Unmarshal(text, &saved); err != nil {
		return nil, fmt.Errorf("%s of the demo: %w", demoState, err)
	}
	zone, err := loadZone(saved.Zone)
	if err != nil {
		return nil, fmt.Errorf("%s of the demo: %w", demoState, err)
	}
	states := map[string][]byte{}
	for name, state := range saved.Providers {
		states[name] = state
	}
	return merchant.Reopen(states, saved.Began, saved.Ended, zone)
}

// demoFolder is the folder that a base_url names; ok is false where it is an
// address.
func demoFolder(baseURL string) (folder string, ok bool) {
	return strings.CutPrefix(baseURL, demoScheme)
}
