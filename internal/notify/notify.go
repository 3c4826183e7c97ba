// Package notify says of a run what people must be told, once: in words for a
// chat, or as signed JSON for a program.
//
// It is pure: it opens no connection and reads no clock. It tells nothing that
// a person put aside, and no text of a provider reaches a chat unescaped.
package notify

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"desfecho/internal/money"
	"desfecho/internal/payment"
	"desfecho/internal/store"
	"desfecho/internal/ui"
	"desfecho/reconcile"
)

// Target is who is told.
type Target struct {
	Name   string             // by which it is remembered what it was told
	From   reconcile.Severity // this and worse
	Owners []Owner            // whose divergences; none: everybody's
	Owner  func(reconcile.Class) Owner
}

// News is what a target was not told yet, in groups of one class, account and
// currency, the worst first.
type News struct {
	Run    string
	At     payment.Instant
	Groups []Group
	Notes  []store.Note // that it was told, to be kept once it was
}

// Group is some divergences. Minor is the money at stake in all of them.
type Group struct {
	Class     string `json:"class"`
	Severity  string `json:"severity"`
	Owner     Owner  `json:"owner"`
	Provider  string `json:"provider"`
	Account   string `json:"account"`
	Count     int    `json:"count"`
	Escalated int    `json:"escalated"` // of them, those that were told before as less severe
	Minor     int64  `json:"minor"`
	Currency  string `json:"currency"`
	Example   string `json:"example"` // the subject of one
	Attempt   string `json:"attempt"` // its attempt, where it has one
	ID        string `json:"divergence"`
	severity  reconcile.Severity
	amount    money.Amount
}

// Of finds what is news to the target in a saved run, of which notes are the
// notes of its divergences, oldest first. What was told is told again only when
// it has become more severe.
func Of(run string, r *reconcile.Result, notes []store.Note, t Target) News {
	told := t.told(notes)
	news := News{Run: run, At: r.Now}
	groups := map[string]int{}
	for i := range r.Divergences {
		d := &r.Divergences[i]
		owner := t.Owner(d.Class)
		before, known := told[d.ID]
		if d.Aside() || d.LifeState.Ended() || d.Severity > t.From || known && before <= d.Severity || len(t.Owners) > 0 && !slices.Contains(t.Owners, owner) {
			continue
		}
		news.Notes = append(news.Notes, store.Note{
			Divergence: d.ID, Kind: store.NoteTold, Class: d.Class.String(), Minor: d.Amount, Currency: d.Currency.String(),
			Text: t.Name + " " + d.Severity.String(), Operator: "desfecho",
		})
		key := strings.Join([]string{d.Class.String(), d.Severity.String(), d.Provider, d.Account, d.Currency.String()}, "\x00")
		at, there := groups[key]
		if !there {
			at = len(news.Groups)
			groups[key] = at
			news.Groups = append(news.Groups, newGroup(d, owner))
		}
		g := &news.Groups[at]
		g.Count++
		g.Minor += d.Amount
		g.amount.Minor = g.Minor
		if known {
			g.Escalated++
		}
	}
	slices.SortStableFunc(news.Groups, func(a, b Group) int { return cmp.Compare(a.severity, b.severity) })
	return news
}

func newGroup(d *reconcile.Divergence, owner Owner) Group {
	g := Group{
		Class: d.Class.String(), Severity: d.Severity.String(), Owner: owner, Provider: d.Provider, Account: d.Account, Currency: d.Currency.String(),
		Example: d.Subject.String(), ID: d.ID, severity: d.Severity, amount: money.Amount{Currency: d.Currency},
	}
	if len(d.Attempts) > 0 {
		g.Attempt = d.Attempts[0]
	}
	return g
}

// told is the worst severity that the target was told of each divergence.
func (t *Target) told(notes []store.Note) map[string]reconcile.Severity {
	told := map[string]reconcile.Severity{}
	for i := range notes {
		name, severity, _ := strings.Cut(notes[i].Text, " ")
		if notes[i].Kind != store.NoteTold || name != t.Name {
			continue
		}
		for s := reconcile.P1; s <= reconcile.P4; s++ {
			if before, known := told[notes[i].Divergence]; s.String() == severity && (!known || s < before) {
				told[notes[i].Divergence] = s
			}
		}
	}
	return told
}

// JSON is the news for a program.
func (n *News) JSON() ([]byte, error) {
	total := 0
	for i := range n.Groups {
		total += n.Groups[i].Count
	}
	text, err := json.Marshal(struct {
		Schema int     `json:"schema"`
		Kind   string  `json:"kind"`
		Run    string  `json:"run"`
		At     string  `json:"at"`
		Count  int     `json:"count"`
		Groups []Group `json:"groups"`
	}{1, "news", n.Run, n.At.String(), total, n.Groups})
	if err != nil {
		return nil, fmt.Errorf("word the news: %w", err)
	}
	return text, nil
}

// Sign is the signature that goes with what is told at a moment: whoever knows
// the secret sees that it is ours, unchanged and of now.
func Sign(secret string, at payment.Instant, body []byte) string {
	moment := strconv.FormatInt(at.Time().Unix(), 10)
	sum := hmac.New(sha256.New, []byte(secret))
	sum.Write([]byte(moment + "."))
	sum.Write(body)
	return "t=" + moment + ",v1=" + hex.EncodeToString(sum.Sum(nil))
}

// mostGroups is how many groups a chat is told one by one.
const mostGroups = 20

// Slack is the news for a chat that takes Slack's incoming webhooks.
func (n *News) Slack() ([]byte, error) {
	var lines []string
	total, rest := 0, 0
	for i := range n.Groups {
		total += n.Groups[i].Count
		if i < mostGroups {
			lines = append(lines, n.Groups[i].line())
		} else {
			rest += n.Groups[i].Count
		}
	}
	head := fmt.Sprintf("desfecho: %d divergences are new or worse (run %s)", total, n.Run)
	if total == 1 {
		head = fmt.Sprintf("desfecho: 1 divergence is new or worse (run %s)", n.Run)
	}
	if rest > 0 {
		lines = append(lines, fmt.Sprintf("and %d more: desfecho report", rest))
	}
	text, err := json.Marshal(struct {
		Text   string `json:"text"`
		Mrkdwn bool   `json:"mrkdwn"`
	}{escape(head + "\n" + strings.Join(lines, "\n")), false})
	if err != nil {
		return nil, fmt.Errorf("word the news: %w", err)
	}
	return text, nil
}

func (g *Group) line() string {
	clean := func(text string) string { return ui.Clean(text).String() }
	line := fmt.Sprintf("%s %s · %d × · %s · %s", g.Severity, g.Class, g.Count, g.amount, clean(g.Provider))
	if g.Account != "" {
		line += " " + clean(g.Account)
	}
	if g.Escalated > 0 {
		line += fmt.Sprintf(" · %d worse than before", g.Escalated)
	}
	line += " · " + string(g.Owner) + " · "
	if g.Attempt != "" {
		return line + "desfecho show " + clean(g.Attempt)
	}
	return line + clean(g.Example)
}

// escape takes the meaning from the three characters that a chat gives one.
func escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}
