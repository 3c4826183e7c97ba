package datetext

import (
	"fmt"
	"strings"
	"time"
)

// abbreviations that mean one offset wherever statements use them, in minutes.
// Left out are those that do not: AMT, AST, BST, CST, IST.
var abbreviations = map[string]int{
	"Z": 0, "UTC": 0, "GMT": 0, "UT": 0,
	"WET": 0, "WEST": 60, "CET": 60, "CEST": 120, "MET": 60, "MEST": 120, "EET": 120, "EEST": 180, "MSK": 180,
	"BRT": -180, "BRST": -120, "ART": -180, "UYT": -180, "CLT": -240, "CLST": -180, "COT": -300, "PET": -300, "VET": -240,
	"EST": -300, "EDT": -240, "CDT": -300, "MST": -420, "MDT": -360, "PST": -480, "PDT": -420,
	"AKST": -540, "AKDT": -480, "HST": -600,
	"WAT": 60, "CAT": 120, "EAT": 180, "SAST": 120,
	"JST": 540, "KST": 540, "HKT": 480, "SGT": 480, "AWST": 480, "ACST": 570, "ACDT": 630, "AEST": 600, "AEDT": 660,
	"NZST": 720, "NZDT": 780,
}

// Zone reads what a zone column holds: an abbreviation that means one offset,
// an offset such as "-03:00", "UTC-3" or "GMT+01:00", or an IANA name such as
// "America/Sao_Paulo". An abbreviation with several meanings is an *Error.
func Zone(text string) (*time.Location, error) {
	text = clean(text)
	if strings.Contains(text, "/") {
		zone, err := time.LoadLocation(text)
		if err != nil {
			return nil, &Error{"not the name of a zone", "want a name such as America/Sao_Paulo"}
		}
		return zone, nil
	}
	return offset(text)
}

// offset reads an abbreviation or an offset.
func offset(text string) (*time.Location, error) {
	if minutes, ok := abbreviations[text]; ok {
		return fixed(minutes), nil
	}
	number := strings.TrimPrefix(strings.TrimPrefix(text, "UTC"), "GMT")
	if number == "" || number[0] != '+' && number[0] != '-' {
		return nil, &Error{
			fmt.Sprintf("zone %q means several offsets, or none that is known", text),
			"name the column's zone in the profile (dates: zone)",
		}
	}
	sign := 1
	if number[0] == '-' {
		sign = -1
	}
	hours, rest, ok := digitsOf(number[1:], 1, 2)
	minutes := 0
	if ok && rest != "" {
		minutes, rest, ok = digitsOf(strings.TrimPrefix(rest, ":"), 2, 2)
	}
	if !ok || rest != "" || hours > 14 || minutes > 59 {
		return nil, &Error{"not an offset from UTC", "want one such as -03:00"}
	}
	return fixed(sign * (hours*60 + minutes)), nil
}

func fixed(minutes int) *time.Location {
	if minutes == 0 {
		return time.UTC
	}
	return time.FixedZone("", minutes*60)
}
