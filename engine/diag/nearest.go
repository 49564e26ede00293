package diag

import (
	"slices"
	"strings"
)

// Nearest returns the candidates that are most like a name, the best first,
// at most three: those a typing mistake or two away, and those that the name
// is a part of.
func Nearest(name string, candidates []string) []string {
	type match struct {
		name     string
		distance int
	}
	limit := max(1, min(3, len(name)/3))
	lower := strings.ToLower(name)
	var matches []match
	for _, c := range candidates {
		lc := strings.ToLower(c)
		d := distance(lower, lc, limit)
		if d > limit && len(name) >= 3 && (strings.Contains(lc, lower) || strings.Contains(lower, lc) && len(lc) >= 3) {
			d = limit // no slip of the keys, but worth showing
		}
		if d <= limit {
			matches = append(matches, match{c, d})
		}
	}
	slices.SortFunc(matches, func(a, b match) int {
		if a.distance != b.distance {
			return a.distance - b.distance
		}
		return strings.Compare(a.name, b.name)
	})
	var names []string
	for _, m := range matches {
		if !slices.Contains(names, m.name) && len(names) < 3 {
			names = append(names, m.name)
		}
	}
	return names
}

// Slips returns the candidates that are a slip of the keys away from a name: one
// letter in a short one, two in a long one.
func Slips(name string, candidates []string) []string {
	limit := 1
	if len(name) >= 8 {
		limit = 2
	}
	var near []string
	for _, c := range candidates {
		if len(name) >= 3 && distance(name, c, limit) <= limit {
			near = append(near, c)
		}
	}
	return near
}

// DidYouMean returns a question that names the nearest candidates, or "".
func DidYouMean(name string, candidates []string) string {
	near := Nearest(name, candidates)
	if len(near) == 0 {
		return ""
	}
	return "did you mean " + Escape(strings.Join(near, " or ")) + "?"
}

// distance is the number of letters to insert, remove, replace or swap with
// their neighbour to make one string the other (optimal string alignment);
// it gives up past the limit.
func distance(a, b string, limit int) int {
	if len(a) > 4*(len(b)+limit) || len(b) > 4*(len(a)+limit) {
		return limit + 1 // more characters apart than the limit, however long each is
	}
	x, y := []rune(a), []rune(b)
	if d := len(x) - len(y); d > limit || -d > limit {
		return limit + 1
	}
	var before []int
	above := make([]int, len(y)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row := make([]int, len(y)+1)
		row[0] = i
		best := i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			best = min(best, row[j])
		}
		if best > limit {
			return limit + 1
		}
		before, above = above, row
	}
	return above[len(y)]
}
