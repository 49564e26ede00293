package engine

import (
	"os"
	"strconv"
	"strings"
	"time"

	"ucas/engine/find"
)

// A memo remembers what a listing showed of the configurations of a large
// layer, so that the next one need not read thousands of them again. After the
// head, its lines are in the order of the paths, with tabs between fields:
//
//	the stamp of ucas.yaml; its kind; path; executable; description
//
// the last two as Go strings. A line counts as long as the file is the one that
// it names. A memo that cannot be read or written is as good as none.
type memo struct {
	rest string // the lines that were not passed yet
}

const (
	memoHead   = "ucas-list 1\n"
	memoFields = 5
)

func readMemo(path string) memo {
	if path == "" {
		return memo{}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return memo{}
	}
	rest, _ := strings.CutPrefix(string(text), memoHead)
	return memo{rest}
}

// line returns the fields of a path's line, nil if there is none. Paths must be
// asked for in their order.
func (m *memo) line(path string) []string {
	for m.rest != "" {
		line, rest, _ := strings.Cut(m.rest, "\n")
		fields := strings.SplitN(line, "\t", memoFields)
		if len(fields) < memoFields || fields[2] > path {
			return nil
		}
		m.rest = rest
		if fields[2] == path {
			return fields
		}
	}
	return nil
}

// recall fills an entry from a line of the memo. It reports whether the line
// still counts.
func (e *Entry) recall(fields []string, stamp find.Stamp) bool {
	if fields == nil || fields[0] != stamp.String() {
		return false
	}
	kind, errK := strconv.Atoi(fields[1])
	executable, errE := strconv.Unquote(fields[3])
	description, errD := strconv.Unquote(fields[4])
	if errE != nil || errD != nil || errK != nil || kind < 0 || kind >= len(kindNames) {
		return false
	}
	e.Kind, e.Executable, e.Description = Kind(kind), executable, description
	return true
}

// memoText returns the text of a memo. What was changed after the given time,
// or is broken, is left out: it has to be read again.
func memoText(entries []*Entry, since time.Time) string {
	var b strings.Builder
	b.WriteString(memoHead)
	for _, e := range entries {
		if e.Err != nil || e.stamp.Changed >= since.UnixNano() || strings.ContainsAny(e.Path, "\t\n") {
			continue
		}
		b.WriteString(e.stamp.String() + "\t" + strconv.Itoa(int(e.Kind)) + "\t" + e.Path + "\t" +
			strconv.Quote(e.Executable) + "\t" + strconv.Quote(e.Description) + "\n")
	}
	return b.String()
}
