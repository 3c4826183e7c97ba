package cmd

import (
	"fmt"
	"strings"

	merchant "desfecho/internal/shop"
)

const demoStory = `A shop takes cards through the provider "loja", Pix and boletos through
"banco". On 28 and 29 November 2025 it made some sixty attempts, and this
happened:

  28 Nov 14:31  a connection broke before the request had arrived
  28 Nov 17:05  an old checkout took a timeout for a no; the card was charged
  28 Nov 21:18  a timeout, and the card was charged; at 07:30 the next morning
                the shop's own job asked the provider and booked the sale
  29 Nov 10:26  a retry with a new key charged the card a second time
  29 Nov 15:40  a sale was given back at the provider, and nobody booked it
  29 Nov 22:14  a timeout, and no webhook either; the card was charged

In the shop's own table two attempts are unknown, and nothing else looks wrong.
At 06:30 of the 29th desfecho pulled the providers' files of the 28th and
compared:

  %s

At 06:30 of the 30th it pulled those of the 29th. This is what it says:

`

const demoNext = `
cron would have seen exit %d (%s). Everything stands in %s.
The story ended on 30 November 2025; what asks now counts ages up to now.
Try next:

what a finding means, and what never to do
  %[4]s explain duplicate_charge
compare again, half an hour later: nothing is new
  %[5]s reconcile \
      --as-of 2025-11-30T07:00:00-03:00
what has no outcome yet, and what can be done about it
  %[5]s stuck
one of them on one screen: here, and at the provider, asked just now
  %[5]s show %[7]s
give it its outcome: only the mark and the amount, typed there, confirm it
  %[5]s resolve %[7]s
whether what was settled is still as it was written
  %[5]s audit verify
what in the shop's own database let it happen
  %[5]s check
the report for finance
  %[5]s report --format csv-br
pull a file again: none of its lines is new
  %[5]s pull loja \
      --covers 2025-11-29..2025-11-30 \
      --file %[6]s
`

// told is the story, both mornings and what to try next.
func (x *demo) told(codes []exitCode, screens []string) string {
	first := strings.Split(strings.TrimSpace(screens[0]), "\n")
	program := x.d.program
	return fmt.Sprintf(demoStory, first[len(first)-1]) + screens[1] +
		fmt.Sprintf(demoNext, codes[1], codes[1], x.folder, program, program+" --config "+shellWord(x.path("desfecho.yaml")),
			shellWord(x.path(statementName(merchant.Loja, "ledger", "2025-11-29"))), x.stuck)
}

// shellWord is a path as it can be pasted.
func shellWord(path string) string {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._/:@%+-"
	if strings.Trim(path, plain) == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
