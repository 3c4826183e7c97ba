package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"desfecho/internal/secret"
	"desfecho/providers/httpx"
)

// heartbeatVariable names the address too.
const heartbeatVariable = "DESFECHO_HEARTBEAT_URL"

// heartbeatTime is how long the daily job waits for its monitor, twice at most.
const heartbeatTime = 10 * time.Second

// RunConfig says who is told that the daily job ran. Whoever knows the address
// can speak in its name, so that it is kept like a password.
type RunConfig struct {
	HeartbeatURL     secret.Secret `mapstructure:"heartbeat_url"`
	HeartbeatURLFile string        `mapstructure:"heartbeat_url_file"`
	HeartbeatOK      []int64       `mapstructure:"heartbeat_ok"`

	Notify []NotifyConfig `mapstructure:"notify"`
	Owners []OwnerConfig  `mapstructure:"owners"`
}

// checkFile refuses an address in a file that others may read.
func (c *RunConfig) checkFile(path string) error {
	if c.HeartbeatURL == "" {
		return nil
	}
	if _, err := readOwn("run.heartbeat_url", path); err != nil {
		return &usageError{err: fmt.Errorf("configuration: %w", err), hint: "or put the address into a file of its own and name it as run.heartbeat_url_file"}
	}
	return nil
}

// address is where to tell, "" for nowhere. Its errors do not hold it.
func (c *RunConfig) address(env environment) (secret.Secret, error) {
	text := env.get(heartbeatVariable)
	if text == "" {
		text = c.HeartbeatURL.Reveal()
	}
	var err error
	if c.HeartbeatURLFile != "" {
		if text != "" {
			return "", &usageError{err: errors.New("configuration, run: the heartbeat's address is given more than once"), hint: "give one of heartbeat_url, heartbeat_url_file and " + heartbeatVariable}
		}
		if text, err = readOwn("heartbeat_url_file", os.Expand(c.HeartbeatURLFile, env.get)); err == nil && strings.TrimSpace(text) == "" {
			err = errors.New("heartbeat_url_file: it is empty")
		}
	}
	if err != nil {
		return "", &usageError{err: fmt.Errorf("configuration, run: %w", err)}
	}
	return secret.Secret(strings.TrimSpace(text)), nil
}

// heartbeat tells a monitor that the daily job began and how it ended, as
// healthchecks.io and its like want it: ADDRESS/start, then ADDRESS for well or
// ADDRESS/CODE. What cannot be told is a warning and never a failed run: the
// monitor notices the silence.
type heartbeat struct {
	d      *deps
	client *httpx.Client // nil: nobody is told
	fine   []int64       // exit codes that are well
}

// heartbeat sends nothing yet. Its errors are *usageError and hold no address.
func (d *deps) heartbeat(c *RunConfig) (*heartbeat, error) {
	h := &heartbeat{d: d, fine: c.HeartbeatOK}
	if len(h.fine) == 0 {
		h.fine = []int64{int64(exitDone), int64(exitDivergences)}
	}
	address, err := c.address(d.env)
	if err != nil || address == "" {
		return h, err
	}
	h.client, err = httpx.New(httpx.Options{
		BaseURL: address.Reveal(), Loopback: onThisMachine(address), UserAgent: "desfecho/" + thisBuild().Version, Now: d.now,
		Deadlines: httpx.Deadlines{Whole: heartbeatTime},
	})
	if err != nil {
		return nil, &usageError{err: fmt.Errorf("configuration, run: heartbeat: %w", err)}
	}
	return h, nil
}

// onThisMachine tells whether an address names this machine, which alone may be
// told without https.
func onThisMachine(address secret.Secret) bool {
	u, err := url.Parse(address.Reveal())
	return err == nil && slices.Contains([]string{"127.0.0.1", "::1", "localhost"}, u.Hostname())
}

func (h *heartbeat) start(ctx context.Context) { h.tell(ctx, "/start") }

// end tells the exit code, also of a run that was told to stop.
func (h *heartbeat) end(ctx context.Context, code exitCode) {
	path := ""
	if !slices.Contains(h.fine, int64(code)) {
		path = "/" + strconv.Itoa(int(code))
	}
	h.tell(context.WithoutCancel(ctx), path)
}

func (h *heartbeat) tell(ctx context.Context, path string) {
	if h.client == nil {
		return
	}
	if err := h.client.Ping(ctx, "heartbeat", path); err != nil {
		h.d.log.WarnContext(ctx, "the heartbeat was not delivered", "ping", cmp.Or(strings.TrimPrefix(path, "/"), "done"), "error", err.Error())
	}
}

func (h *heartbeat) close() {
	if h.client != nil {
		h.client.Close()
	}
}
