package yaml

import (
	"math"
	"strconv"
	"strings"

	"ucas/engine/tree"
)

// disputed is the kind of a plain scalar that readers of YAML take for
// different things, or that looks like something it is not.
const disputed tree.Kind = 255

// resolve says what a plain scalar is. Most are text, and for most of those
// the first byte tells.
func resolve(s string) tree.Kind {
	switch s[0] {
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '-', '+', '.':
		return number(s)
	case 't', 'f', 'y', 'n', 'o', 'T', 'F', 'Y', 'N', 'O', '~', '=', '<':
		return word(s)
	}
	return tree.String
}

// word knows the words that are no text to one version of YAML or the other:
// 1.1 takes more of them for booleans than 1.2.
func word(s string) tree.Kind {
	switch s {
	case "true", "false", "yes", "no":
		return tree.Bool
	case "null", "~":
		return tree.Null
	case "True", "TRUE", "Yes", "YES", "on", "On", "ON", "y", "Y",
		"False", "FALSE", "No", "NO", "off", "Off", "OFF", "n", "N",
		"Null", "NULL",
		"=", "<<": // "the default value" and "merge" of 1.1
		return disputed
	}
	return tree.String
}

// isSwitch reports whether a word is a boolean to YAML 1.1 only. As a key it is
// the text that it is to YAML 1.2: variables are called ON, Y and NO.
func isSwitch(s string) bool {
	switch s {
	case "yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF", "y", "Y", "n", "N":
		return true
	}
	return false
}

// number tells integers and decimals from text that merely starts like one,
// and from other spellings of numbers.
func number(s string) tree.Kind {
	whole, rest := cutDigits(strings.TrimPrefix(s, "-"))
	plain := whole == "0" || whole != "" && whole[0] != '0'
	switch {
	case plain && rest == "":
		if s == "-0" || tooLarge(s) { // -0 is 0 to some, another number to others
			return disputed
		}
		return tree.Int
	case plain && rest[0] == '.' && isDigits(rest[1:]):
		if tooLarge(s) {
			return disputed
		}
		return tree.Float
	case formOf(s) != noForm:
		return disputed
	}
	return tree.String
}

// tooLarge reports whether a number does not fit the type that Any gives it.
func tooLarge(s string) bool {
	const always = 18 // characters that fit, unless there is an exponent
	body := strings.ReplaceAll(s, "_", "")
	if isDigits(unsigned(body)) {
		if len(body) <= always {
			return false
		}
		_, err := strconv.ParseInt(body, 10, 64)
		return err != nil
	}
	if len(body) <= always && !strings.ContainsAny(body, "eE") {
		return false
	}
	_, err := strconv.ParseFloat(body, 64)
	return err != nil
}

// A form is what a scalar that starts like a number is to some reader of
// YAML.
type form int

const (
	noForm      form = iota // text to every reader
	radix                   // 0x1F, 0o17, 0b11
	exponential             // 017, +1, 1_000, .5, 5., 1e3, and what Parse accepts
	infinite                // .inf, .nan
	base60                  // 12:30
	timed                   // 2001-12-14
)

// formOf returns the form of a scalar. Underscores between digits mean
// nothing, to those who allow them.
func formOf(s string) form {
	body := strings.ReplaceAll(unsigned(s), "_", "")
	switch {
	case isRadix(body) || isRadix(unsigned(s)):
		return radix
	case isExponential(body):
		return exponential
	case isInfinite(body, unsigned(s) == s):
		return infinite
	case isBase60(body):
		return base60
	case isTimed(s):
		return timed
	}
	return noForm
}

// isInfinite reports whether the text is no finite number, with or without a
// sign.
func isInfinite(s string, unsigned bool) bool {
	switch s {
	case ".inf", ".Inf", ".INF":
		return true
	case ".nan", ".NaN", ".NAN":
		return unsigned
	}
	return false
}

// isRadix reports whether the text is a number like 0x1F, 0o17 or 0b11; some
// take 0b+11 for one too.
func isRadix(s string) bool {
	if len(s) < 3 || s[0] != '0' {
		return false
	}
	base := 0
	switch s[1] {
	case 'x', 'X':
		base = 16
	case 'o', 'O':
		base = 8
	case 'b', 'B':
		base = 2
	default:
		return false
	}
	digits := unsigned(s[2:])
	for _, c := range []byte(digits) {
		if c != '_' && digitValue(c) >= base {
			return false
		}
	}
	return digits != ""
}

// digitValue returns the value of a hexadecimal digit, or a large number.
func digitValue(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return math.MaxInt
}

// isExponential reports whether the text is a number with a decimal point,
// an exponent, both or neither: 017, .5, 5., 1e3.
func isExponential(s string) bool {
	whole, rest := cutDigits(s)
	fraction := ""
	if strings.HasPrefix(rest, ".") {
		fraction, rest = cutDigits(rest[1:])
	}
	if whole == "" && fraction == "" {
		return false
	}
	if rest == "" {
		return true
	}
	return rest[0]|0x20 == 'e' && isDigits(unsigned(rest[1:]))
}

// isBase60 reports whether the text is a number like 1:30 or 12:30:45.5.
func isBase60(s string) bool {
	whole, rest := cutDigits(s)
	if whole == "" || !strings.HasPrefix(rest, ":") {
		return false
	}
	for strings.HasPrefix(rest, ":") {
		var part string
		part, rest = cutDigits(rest[1:])
		if part == "" || len(part) > 2 || len(part) == 2 && part[0] > '5' {
			return false
		}
	}
	return rest == "" || rest[0] == '.' && (rest == "." || isDigits(rest[1:]))
}

// isTimed reports whether some reader of YAML takes the text for a date,
// alone or with a time of day: 2001-12-14, 2001-12-14t21:59:43.10-05:00.
func isTimed(s string) bool {
	rest, ok := cutNumber(s, 4, 4, true)
	rest, ok = cutField(rest, "-", ok)
	rest, ok = cutField(rest, "-", ok)
	if !ok || rest == "" {
		return ok
	}
	blanks := strings.TrimLeft(rest, " ")
	switch {
	case rest[0] == 'T' || rest[0] == 't':
		rest, ok = cutNumber(rest[1:], 1, 2, true)
	case blanks != rest:
		rest, ok = cutNumber(blanks, 1, 2, true)
	default:
		return false
	}
	rest, ok = cutField(rest, ":", ok)
	rest, ok = cutField(rest, ":", ok)
	return ok && isZone(cutFraction(rest))
}

// isZone reports whether the text is a time zone, or nothing.
func isZone(s string) bool {
	s = strings.TrimLeft(s, " ")
	if s == "" || s == "Z" {
		return true
	}
	rest, ok := cutNumber(unsigned(s), 1, 2, unsigned(s) != s)
	if ok && rest != "" {
		rest, ok = cutField(rest, ":", ok)
	}
	return ok && rest == ""
}

// cutFraction removes a fraction of a second.
func cutFraction(s string) string {
	if s != "" && (s[0] == '.' || s[0] == ',') {
		_, s = cutDigits(s[1:])
	}
	return s
}

// cutField removes a separator and one or two digits, if all went well so
// far, and reports whether they were there.
func cutField(s, separator string, ok bool) (string, bool) {
	rest, found := strings.CutPrefix(s, separator)
	return cutNumber(rest, 1, 2, ok && found)
}

// cutNumber removes at least low and at most high digits, if all went well
// so far, and reports whether they were there.
func cutNumber(s string, low, high int, ok bool) (string, bool) {
	digits, rest := cutDigits(s)
	return rest, ok && low <= len(digits) && len(digits) <= high
}

// cutDigits cuts the digits that a text starts with from the rest.
func cutDigits(s string) (digits, rest string) {
	i := 0
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return s[:i], s[i:]
}

func isDigits(s string) bool {
	digits, rest := cutDigits(s)
	return digits != "" && rest == ""
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// unsigned removes a sign.
func unsigned(s string) string {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		return s[1:]
	}
	return s
}
