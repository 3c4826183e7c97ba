package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"desfecho/internal/notify"
	"desfecho/internal/payment"
	"desfecho/internal/runs"
	"desfecho/internal/secret"
	"desfecho/internal/store"
	"desfecho/providers/httpx"
	"desfecho/reconcile"
)

// NotifyConfig is one who is told what is new after each daily job. The address
// and the secret stand in files that only their owner can read.
type NotifyConfig struct {
	Name       string   `mapstructure:"name"`
	URLFile    string   `mapstructure:"url_file"`
	SecretFile string   `mapstructure:"secret_file"`
	Format     string   `mapstructure:"format"`
	From       string   `mapstructure:"from"`
	Owners     []string `mapstructure:"owners"`
}

// OwnerConfig gives a class to another owner.
type OwnerConfig struct {
	Class string `mapstructure:"class"`
	Owner string `mapstructure:"owner"`
}

// notifyTime is how long the daily job waits for one who is told.
const notifyTime = 10 * time.Second

// recipient is one who is told, ready for it.
type recipient struct {
	notify.Target
	slack  bool
	secret secret.Secret
	client *httpx.Client
}

// recipients reads who is told. Its errors are *usageError and hold no address.
func (d *deps) recipients(c *RunConfig) (all []*recipient, err error) {
	owner, err := owners(c.Owners)
	if err != nil {
		return nil, err
	}
	for i := range c.Notify {
		n := &c.Notify[i]
		r, err := d.recipient(n)
		if err != nil {
			return nil, &usageError{err: fmt.Errorf("configuration, run.notify %q: %w", n.Name, err), hint: "see `desfecho help environment`"}
		}
		if slices.ContainsFunc(all, func(o *recipient) bool { return o.Name == r.Name }) {
			return nil, &usageError{err: fmt.Errorf("configuration, run.notify: two are named %q", n.Name), hint: "what each was told is remembered by its name"}
		}
		r.Owner = owner
		all = append(all, r)
	}
	return all, nil
}

func (d *deps) recipient(n *NotifyConfig) (*recipient, error) {
	r := &recipient{Target: notify.Target{Name: n.Name}}
	if n.Name == "" || strings.ContainsAny(n.Name, " \t\n") {
		return nil, errors.New("want a name without blanks")
	}
	var err error
	if r.From, err = parseFailOn(cmp.Or(n.From, "P2")); err != nil {
		return nil, fmt.Errorf("from: %w", err)
	}
	for _, word := range n.Owners {
		if !slices.Contains(notify.Owners(), notify.Owner(word)) {
			return nil, fmt.Errorf("owners: %q is none of %v", word, notify.Owners())
		}
		r.Owners = append(r.Owners, notify.Owner(word))
	}
	switch n.Format {
	case "slack":
		r.slack = true
	case "", "json":
		text, err := readOwn("secret_file", os.Expand(n.SecretFile, d.env.get))
		if err == nil && strings.TrimSpace(text) == "" {
			err = errors.New("secret_file: it is empty")
		}
		if err != nil {
			return nil, err
		}
		r.secret = secret.Secret(strings.TrimSpace(text))
	default:
		return nil, fmt.Errorf("format %q: want json or slack", n.Format)
	}
	text, err := readOwn("url_file", os.Expand(n.URLFile, d.env.get))
	if err != nil {
		return nil, err
	}
	address := secret.Secret(strings.TrimSpace(text))
	r.client, err = httpx.New(httpx.Options{
		BaseURL: address.Reveal(), Loopback: onThisMachine(address), UserAgent: "desfecho/" + thisBuild().Version, Now: d.now, Tells: true,
		Deadlines: httpx.Deadlines{Whole: notifyTime},
	})
	return r, err
}

// owners is who owns each class.
func owners(said []OwnerConfig) (func(reconcile.Class) notify.Owner, error) {
	of := map[reconcile.Class]notify.Owner{}
	for _, s := range said {
		class, ok := reconcile.ParseClass(s.Class)
		if !ok || !slices.Contains(notify.Owners(), notify.Owner(s.Owner)) {
			return nil, &usageError{
				err:  fmt.Errorf("configuration, run.owners: class %q, owner %q: want a class and one of %v", s.Class, s.Owner, notify.Owners()),
				hint: "`desfecho explain` lists the classes",
			}
		}
		of[class] = notify.Owner(s.Owner)
	}
	return func(class reconcile.Class) notify.Owner {
		if owner, ok := of[class]; ok {
			return owner
		}
		return notify.OwnerOf(class)
	}, nil
}

// tellAll tells everybody what the last runs left that they were not told yet.
// What cannot be delivered is a warning, and is told after the next run.
func (d *deps) tellAll(ctx context.Context, config Config, all []*recipient) {
	if len(all) == 0 || ctx.Err() != nil {
		return
	}
	r, err := d.newDatabaseRun(&reconcileOptions{}, config, nil)
	if err == nil {
		err = d.withStore(ctx, &config, func(s store.Store) error {
			r.store = s
			return r.tell(ctx, all)
		})
	}
	for _, to := range all {
		to.client.Close()
	}
	if err != nil {
		d.log.WarnContext(ctx, "nobody was told what is new", "error", err.Error())
	}
}

func (r *databaseRun) tell(ctx context.Context, all []*recipient) error {
	seen := map[string]bool{}
	for _, provider := range r.providers {
		var id string
		err := r.view(ctx, func(view store.View) (err error) {
			id, err = view.LatestRun(ctx, provider)
			return err
		})
		if err != nil {
			return err
		}
		if id == "" || seen[id] {
			continue
		}
		seen[id] = true
		if err := r.tellRun(ctx, id, all); err != nil {
			return err
		}
	}
	return nil
}

func (r *databaseRun) tellRun(ctx context.Context, id string, all []*recipient) error {
	saved, err := r.store.Run(ctx, id)
	if err != nil {
		return err
	}
	var notes []store.Note
	err = r.view(ctx, func(view store.View) (err error) {
		if err := r.applyNotes(ctx, view, saved.Result); err != nil {
			return err
		}
		notes, err = view.Notes(ctx, runs.IDs(saved.Result))
		return err
	})
	if err != nil {
		return err
	}
	for _, to := range all {
		news := notify.Of(id, saved.Result, notes, to.Target)
		if len(news.Groups) == 0 {
			continue
		}
		if err := to.deliver(ctx, &news, payment.InstantOf(r.d.now())); err != nil {
			r.d.log.WarnContext(ctx, "what is new was not delivered", "to", to.Name, "error", err.Error())
			continue
		}
		if err := r.store.Note(ctx, news.Notes...); err != nil {
			return err
		}
	}
	return nil
}

func (r *recipient) deliver(ctx context.Context, news *notify.News, now payment.Instant) error {
	if r.slack {
		body, err := news.Slack()
		if err != nil {
			return err
		}
		return r.client.Tell(ctx, "notify", nil, body)
	}
	body, err := news.JSON()
	if err != nil {
		return err
	}
	return r.client.Tell(ctx, "notify", map[string]string{"Desfecho-Signature": notify.Sign(r.secret.Reveal(), now, body)}, body)
}
