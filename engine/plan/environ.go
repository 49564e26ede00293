package plan

import (
	"os"
	"strings"
)

// Environ returns the environment of the launched command: the given one
// ("NAME=value" items, the last of a name counts) with the Plan's changes.
func (p *Plan) Environ(base []string) []string {
	drop := map[string]bool{"PATH": true, "PWD": true}
	for _, v := range p.Env {
		drop[v.Name] = true
	}
	last := make(map[string]int, len(base))
	for i, item := range base {
		last[name(item)] = i
	}
	out := make([]string, 0, len(base)+len(p.Env)+2)
	for i, item := range base {
		if n := name(item); n != "" && !drop[n] && last[n] == i {
			out = append(out, item)
		}
	}
	for _, v := range p.Env {
		if !v.Unset {
			out = append(out, v.Name+"="+v.Value)
		}
	}
	if path := p.SearchPath.join(Getenv(base, "PATH")); path != "" {
		out = append(out, "PATH="+path)
	}
	return append(out, "PWD="+p.Dir)
}

// join returns the value of PATH where the caller's is the given one.
func (s SearchPath) join(callers string) string {
	rest := callers
	if s.Fixed {
		rest = s.Rest
	}
	dirs := s.Dirs
	if rest != "" {
		dirs = append(dirs[:len(dirs):len(dirs)], rest)
	}
	return strings.Join(dirs, string(os.PathListSeparator))
}

// name returns the name of a "NAME=value" item, "" if it is none.
func name(item string) string {
	n, _, ok := strings.Cut(item, "=")
	if !ok {
		return ""
	}
	return n
}

// Getenv returns the value of a variable in an environment, "" if it is not
// set.
func Getenv(environ []string, key string) string {
	value, _ := LookupEnv(environ, key)
	return value
}

// LookupEnv returns the value of a variable in an environment, and whether it is
// set; the last of several counts.
func LookupEnv(environ []string, key string) (value string, ok bool) {
	for i := len(environ) - 1; i >= 0; i-- {
		if n, value, ok := strings.Cut(environ[i], "="); ok && n == key {
			return value, true
		}
	}
	return "", false
}
