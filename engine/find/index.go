package find

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// An index remembers what the search of a large layer found, so that the next
// run need not look at thousands of directories to find one. It holds the
// directories that were searched, each with its stamp (see [Stamp]), followed
// by the entities in it:
//
//	ucas-index 1 agents "/home/karel/.ucas/agents"
//	D 1763654400000000000 4096 66306 1234 utils
//	E git-mod
//
// It counts as long as no searched directory has changed. What it cannot see
// is an agent's directory that stops being one, by losing its ucas.yaml, and
// then holds other agents: as long as nothing above changes, those are found
// only if no layer has another of that name. An index that cannot be read or
// written is as good as none.
type index struct {
	text []byte // of the lines after the first
}

const (
	// Large is the number of entities from which an index pays.
	Large = 2000
	// Margin is how long ago a thing must have been changed last, for its next
	// change to have another time: the clocks of file systems tick in up to
	// two seconds.
	Margin = 2 * time.Second
)

// CacheFile returns where what is remembered of a thing is kept in the user's
// cache, "" if there is no cache.
func (l *Library) CacheFile(prefix, thing string) string {
	return cacheFile(l.o.CacheDir, prefix, thing)
}

func cacheFile(cache, prefix, thing string) string {
	if cache == "" {
		return ""
	}
	h := fnv.New64a()
	io.WriteString(h, thing)
	return filepath.Join(cache, "ucas", fmt.Sprintf("%s-%016x", prefix, h.Sum64()))
}

func indexHead(k kind, top string) string {
	return "ucas-index 1 " + k.dir + " " + strconv.Quote(top) + "\n"
}

// readIndex returns the index of a directory, nil if there is none that
// counts, and the directories that it was held against.
func readIndex(cache string, k kind, top string) (*index, []directory) {
	text, err := readRegular(cacheFile(cache, "index", k.dir+"\x00"+top), nil)
	if err != nil {
		return nil, nil
	}
	rest, ok := bytes.CutPrefix(text, []byte(indexHead(k, top)))
	if !ok {
		return nil, nil
	}
	ix := &index{rest}
	var searched []directory
	for line := range bytes.Lines(ix.text) {
		if line[0] != 'D' {
			continue
		}
		stamp, dir := cutStamp(string(line[2 : len(line)-1]))
		path := filepath.Join(top, dir)
		now := stampAt(path)
		if now == (Stamp{}) || now.String() != stamp {
			return nil, nil
		}
		searched = append(searched, directory{path, now})
	}
	return ix, searched
}

// cutStamp takes the stamp of a line apart from the directory.
func cutStamp(line string) (stamp, dir string) {
	end := 0
	for range stampFields {
		i := strings.IndexByte(line[end:], ' ')
		if i < 0 {
			return line, ""
		}
		end += i + 1
	}
	return line[:end-1], line[end:]
}

// named returns the paths of the entities whose last part is the given one.
func (ix *index) named(name string) []string {
	var paths []string
	line := []byte("\nE " + name + "\n")
	for at := 0; ; {
		i := bytes.Index(ix.text[at:], line)
		if i < 0 {
			return paths
		}
		at += i + 1
		paths = append(paths, join(ix.dirOf(at), name))
	}
}

// dirOf returns the directory of the entity whose line starts at an offset.
func (ix *index) dirOf(offset int) string {
	start := bytes.LastIndex(ix.text[:offset], []byte("\nD "))
	line, _, _ := bytes.Cut(ix.text[start+1:], []byte{'\n'})
	_, dir := cutStamp(string(line[2:]))
	return dir
}

// all returns the paths of all entities.
func (ix *index) all() []string {
	var paths []string
	dir := ""
	for line := range bytes.Lines(ix.text) {
		rest := string(line[2 : len(line)-1])
		if line[0] == 'D' {
			_, dir = cutStamp(rest)
		} else {
			paths = append(paths, join(dir, rest))
		}
	}
	return paths
}

// writeIndex leaves an index of what a catalog found in a search that took as
// long as said, if the next run can trust it.
func writeIndex(c *catalog, took time.Duration) {
	margin := c.margin
	if margin == 0 {
		margin = Margin
	}
	writeCache(cacheFile(c.cache, "index", c.kind.dir+"\x00"+c.top), func(temp *os.File) (string, bool) {
		return c.indexText(stampAt(temp.Name()).Changed - int64(took+margin))
	})
}

// WriteCache writes a file of the cache, whole or not at all. A failure costs
// time only, so it is not reported.
func (l *Library) WriteCache(path, text string) {
	writeCache(path, func(*os.File) (string, bool) { return text, true })
}

// writeCache writes what content returns, if that is ok; it may look at the
// temporary file to learn the time.
func writeCache(path string, content func(temp *os.File) (text string, ok bool)) {
	if path == "" {
		return
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".cache-*")
	if err != nil {
		return
	}
	defer os.Remove(temp.Name())
	defer temp.Close()
	text, ok := content(temp)
	if !ok {
		return
	}
	if _, err := temp.WriteString(text); err == nil {
		os.Rename(temp.Name(), path)
	}
}

// indexText returns the text of an index. It is not ok if a directory was
// changed since the given time: it could have been changed once more after it
// was listed, and nobody could tell.
func (c *catalog) indexText(since int64) (text string, ok bool) {
	inDir := make(map[string][]string, len(c.searched))
	for _, e := range c.entities {
		dir := strings.TrimSuffix(strings.TrimSuffix(e.Path, e.Name), "/")
		inDir[dir] = append(inDir[dir], e.Name)
	}
	var b strings.Builder
	b.WriteString(indexHead(c.kind, c.top))
	for _, s := range c.searched {
		dir := strings.TrimPrefix(strings.TrimPrefix(s.path, c.top), "/")
		if s.stamp.Changed >= since || strings.Contains(dir, "\n") {
			return "", false
		}
		fmt.Fprintf(&b, "D %s %s\n", s.stamp, dir)
		for _, name := range inDir[dir] {
			fmt.Fprintf(&b, "E %s\n", name)
		}
	}
	return b.String(), true
}
