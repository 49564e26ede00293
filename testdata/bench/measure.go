package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"
)

// A command is a process to be measured.
type command struct {
	name    string
	argv    []string
	dir     string
	environ []string
}

// A sample is what the runs of a command took: medians, in milliseconds.
type sample struct {
	wall, cpu float64
	mib       float64 // the largest peak memory
	spread    float64 // p90/p50 of the wall time
}

// alternate runs commands in turn, after some runs that do not count.
func alternate(runs int, commands ...command) ([]sample, error) {
	const warmUp = 5
	wall := make([][]float64, len(commands))
	cpu := make([][]float64, len(commands))
	out := make([]sample, len(commands))
	for i := range runs + warmUp {
		for j, c := range commands {
			w, p, mib, err := c.run()
			if err != nil {
				return nil, err
			}
			if i < warmUp {
				continue
			}
			wall[j], cpu[j] = append(wall[j], w), append(cpu[j], p)
			out[j].mib = max(out[j].mib, mib)
		}
	}
	for j := range commands {
		slices.Sort(wall[j])
		slices.Sort(cpu[j])
		out[j].wall, out[j].cpu = wall[j][runs/2], cpu[j][runs/2]
		out[j].spread = wall[j][runs*9/10] / out[j].wall
	}
	return out, nil
}

func (c command) run() (wall, cpu, mib float64, err error) {
	cmd := exec.Command(c.argv[0], c.argv[1:]...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stderr = c.dir, c.environ, &stderr
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return 0, 0, 0, err
	}
	defer null.Close()
	cmd.Stdout = null
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return 0, 0, 0, fmt.Errorf("%s: %w\n%s", c.name, err, stderr.Bytes())
	}
	wall = ms(time.Since(start))
	cpu = ms(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime())
	return wall, cpu, peak(cmd.ProcessState), nil
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }
