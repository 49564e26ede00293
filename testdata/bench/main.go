// Command bench measures ucas against yardsticks in one run, and prints
// ratios: only those of one run on one machine count. Whole processes take
// turns, runs of agents on one processor; the figures are medians.
//
//	go run ./testdata/bench [-n RUNS]
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ucas/engine/find"
	"ucas/engine/yaml"
)

func main() {
	runs := flag.Int("n", 200, "how often each command is run")
	flag.Parse()
	if err := bench(*runs); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(runs int) error {
	work, err := os.MkdirTemp("", "ucas-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	programs, err := build(work)
	if err != nil {
		return err
	}
	for _, part := range []func(string, map[string]string, int) error{benchDryRun, benchHooks, benchLibrary} {
		if err := part(work, programs, runs); err != nil {
			return err
		}
	}
	return benchYAML()
}

// pinned measures commands on one processor, where the system allows it.
func pinned(runs int, commands ...command) ([]sample, error) {
	unpin, err := pin()
	if err != nil {
		fmt.Println("not pinned to one processor:", err)
	} else {
		defer unpin()
	}
	return alternate(runs, commands...)
}

// build makes the programs that are measured, as they are released.
func build(work string) (map[string]string, error) {
	programs := make(map[string]string)
	for _, p := range []string{"cmd/ucas", "testdata/bench/floor", "testdata/bench/walk", "testdata/bench/embed"} {
		out := filepath.Join(work, filepath.Base(p))
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, "./"+p)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("go build %s: %w", p, err)
		}
		programs[filepath.Base(p)] = out
	}
	return programs, nil
}

// benchDryRun compares a dry-run of a typical sandwich with a program that
// reads the same files and writes the same one.
func benchDryRun(work string, programs map[string]string, runs int) error {
	s, err := sandwich(filepath.Join(work, "sandwich"))
	if err != nil {
		return err
	}
	floor := command{"floor: reads 20 files, writes one", append([]string{programs["floor"]}, s.files...), s.dir, s.environ}
	dry := command{"ucas run, 11 files of YAML", []string{programs["ucas"], "run", "coder", "+one", "+two", "+three", "--dry-run"}, s.dir, s.environ}
	times, err := pinned(runs, floor, dry)
	if err != nil {
		return err
	}
	fmt.Println("dry-run of a typical sandwich")
	row(floor.name, times[0], times[0])
	row(dry.name, times[1], times[0])
	limit("wall time", times[1].wall/times[0].wall, "<=", 1.5)
	limit("peak memory, MiB", times[1].mib, "<=", 12)
	return nil
}

// benchHooks measures what a layer hook adds to the same sandwich: in a child
// process, and in the process of a program that trusts it.
func benchHooks(work string, programs map[string]string, runs int) error {
	run := []string{programs["ucas"], "run", "coder", "+one", "+two", "+three", "--dry-run"}
	embed := []string{programs["embed"], "coder", "one", "two", "three"}
	var commands []command
	for _, c := range []struct {
		name, hook string
		argv       []string
	}{
		{"ucas run, 11 files of YAML", "", run},
		{"and a hook of 20 lines, in a child", hookText, run},
		{"  that loads @ucas//env.star, too", libraryHookText, run},
		{"a hook of 20 lines, in the process", hookText, embed},
		{"  that loads @ucas//env.star, too", libraryHookText, embed},
	} {
		s, err := sandwich(filepath.Join(work, fmt.Sprintf("hook-%d", len(commands))))
		if err != nil {
			return err
		}
		if c.hook != "" {
			if err := os.WriteFile(filepath.Join(s.dir, ".ucas", "ucas.star"), []byte(c.hook), 0o644); err != nil {
				return err
			}
		}
		if len(commands) == 0 {
			commands = []command{{"floor: reads 20 files, writes one", append([]string{programs["floor"]}, s.files...), s.dir, s.environ}}
		}
		commands = append(commands, command{c.name, c.argv, s.dir, s.environ})
	}
	times, err := pinned(runs, commands...)
	if err != nil {
		return err
	}
	fmt.Println("layer hooks")
	for i, t := range times {
		row(commands[i].name, t, times[0])
	}
	limit("ms more in a child", times[2].wall-times[1].wall, "<=", 2.5)
	limit("wall time in the process, over the floor", times[4].wall/times[0].wall, "<=", 2)
	return nil
}

// librarySize is the number of agents in the large library.
const librarySize = 10_000

// benchLibrary compares listing a large library with a bare walk, and a run
// that has to find an agent in it with one that has not.
func benchLibrary(work string, programs map[string]string, runs int) error {
	few, err := sandwich(filepath.Join(work, "small"))
	if err != nil {
		return err
	}
	s, err := sandwich(filepath.Join(work, "large"))
	if err != nil {
		return err
	}
	runs = max(10, runs/5)
	small := command{"ucas run, small library", []string{programs["ucas"], "run", "coder", "--dry-run"}, few.dir, few.environ}
	agents := filepath.Join(s.home, ".ucas", "agents", "large")
	if err := largeLibrary(agents, librarySize); err != nil {
		return err
	}
	// What changed within the last seconds is not remembered.
	time.Sleep(2 * find.Margin)
	one := command{"ucas run, one of 10,000", []string{programs["ucas"], "run", "agent-04321", "--dry-run"}, s.dir, s.environ}
	walk := command{"bare walk with faccessat", []string{programs["walk"], agents}, s.dir, s.environ}
	list := command{"ucas list", []string{programs["ucas"], "list"}, s.dir, s.environ}
	found, err := pinned(runs, small, one)
	if err != nil {
		return err
	}
	times, err := alternate(runs, walk, list)
	if err != nil {
		return err
	}
	fmt.Printf("a library of %d agents\n", librarySize)
	row(small.name, found[0], found[0])
	row(one.name, found[1], found[0])
	limit("wall time", found[1].wall/found[0].wall, "<=", 2.5)
	row(walk.name, times[0], times[0])
	row(list.name, times[1], times[0])
	limit("wall time", times[1].wall/times[0].wall, "<=", 1.5)
	return nil
}

// benchYAML compares the parser with encoding/json on the same data.
func benchYAML() error {
	for _, size := range []struct {
		name   string
		copies int
		ratio  float64
	}{{"40 lines", 1, 3}, {"10 MB", 10 << 20 / len(config), 2}} {
		text, asJSON, err := documents(size.copies)
		if err != nil {
			return err
		}
		own := testing.Benchmark(func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := yaml.Parse("bench.yaml", text); err != nil {
					b.Fatal(err)
				}
			}
		})
		other := testing.Benchmark(func(b *testing.B) {
			for b.Loop() {
				var v any
				if err := json.Unmarshal(asJSON, &v); err != nil {
					b.Fatal(err)
				}
			}
		})
		fmt.Printf("YAML of %s\n", size.name)
		fmt.Printf("  %-36s %10d ns  %5.0f MB/s  %d allocations\n", "engine/yaml", own.NsPerOp(), speed(text, own), own.AllocsPerOp())
		fmt.Printf("  %-36s %10d ns  %5.0f MB/s\n", "encoding/json, the same data", other.NsPerOp(), speed(asJSON, other))
		limit("times as fast", float64(other.NsPerOp())/float64(own.NsPerOp()), ">=", size.ratio)
		if size.copies == 1 {
			limit("allocations", float64(own.AllocsPerOp()), "<=", 4)
		}
	}
	return nil
}

func speed(text []byte, r testing.BenchmarkResult) float64 {
	return float64(len(text)) / float64(r.NsPerOp()) * 1e3
}

// documents returns the configuration many times over, as YAML and as JSON.
func documents(copies int) (text, asJSON []byte, err error) {
	doc := config
	if copies > 1 {
		var b strings.Builder
		indented := "  " + strings.ReplaceAll(strings.TrimSuffix(config, "\n"), "\n", "\n  ")
		for i := range copies {
			fmt.Fprintf(&b, "copy-%d:\n%s\n", i, indented)
		}
		doc = b.String()
	}
	node, err := yaml.Parse("bench.yaml", []byte(doc))
	if err != nil {
		return nil, nil, err
	}
	asJSON, err = json.Marshal(node.Any())
	return []byte(doc), asJSON, err
}

func row(name string, t, yardstick sample) {
	fmt.Printf("  %-36s %8.3f ms wall  %8.3f ms processor  %5.1f MiB   x %.2f  (p90/p50 %.2f)\n",
		name, t.wall, t.cpu, t.mib, t.wall/yardstick.wall, t.spread)
}

// limit prints a ratio beside what it should be.
func limit(what string, got float64, op string, want float64) {
	ok := got <= want
	if op == ">=" {
		ok = got >= want
	}
	verdict := "within"
	if !ok {
		verdict = "OUTSIDE"
	}
	fmt.Printf("  => %s: %.2f, should be %s %g: %s\n", what, got, op, want, verdict)
}
