package profile

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// maxDays bounds a duration to ten years.
const maxDays = 3660

// parseDuration reads "90m", "24h" and "30d"; a day is 24 hours.
func parseDuration(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	if days, found := strings.CutSuffix(text, "d"); found {
		n, err := strconv.Atoi(days)
		if err == nil && n >= 0 && n <= maxDays {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	} else if d, err := time.ParseDuration(text); err == nil && d >= 0 && d <= maxDays*24*time.Hour {
		return d, nil
	}
	return 0, fmt.Errorf("%q is no duration: want 30m, 24h or 30d", text)
}
