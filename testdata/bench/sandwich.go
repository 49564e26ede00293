package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// config is a configuration of 40 lines.
const config = `# What a team of three keeps in one place.
description: "Writes and reviews PHP, in small steps"
default_acli: "acli-claude"   # must be in allowed_acli
requested_model: gpt-5.2-pro
allowed_acli: [acli-claude, acli-zai, "acli-codex"]
ignore_unknown: false

env:
  EDITOR: vim
  PORT: 8080
  RATIO: 1.10
  DEBUG: yes
  GREETING: 'it''s a "quoted" text'
  EMPTY: ""
  REMOVED: null

arg_mapping:
  prompt_file: "--append-system-prompt-file"
  skills_dir: [--add-dir, "{}"]
  model_flag: "--model"

model_mapping:
  "gpt-5.2-pro": "opus-4.5"
  "codex": "opus-4.5"
  "gpt-4": "sonnet-3.5"
  "default": "sonnet-3.5"    # fallback

topics:
- reviews, of changes
- releases
wrappers:
  screen: [screen, -dmS, "{name}", sh, "{script}"]
  nice:
    - nice
    - "-n"
    - 10
    - sh
    - "{script}"
reviewers:
  - name: karel
    mods: [git-mod, debug-mod]
`

// hookText is a layer hook of 20 lines.
const hookText = `TIERS = {
    "fast": "sonnet-3.5",
    "strong": "opus-4.5",
}

def depth(ctx):
    if ctx.env("CI"):
        return 1
    return int(ctx.get("env.REVIEW_DEPTH", "3"))

def configure(ctx):
    ctx.set("env.REVIEW_DEPTH", depth(ctx))
    for name, model in TIERS.items():
        ctx.set(["model_mapping", name], model)
    if ctx.which("git"):
        ctx.set("env.HAS_GIT", "yes")
    if ctx.exists("topics.txt"):
        ctx.set("topics", ctx.read("topics.txt").splitlines())
    if ctx.agent == "coder":
        ctx.set("env.CODER", "yes")
`

// libraryHookText loads one of the larger modules that come with ucas.
const libraryHookText = `load("@ucas//env.star", "env")
` + hookText + `    if env.is_ci(ctx):
        ctx.set("env.IN_CI", env.ci(ctx))
`

// A set-up is a project with its layers.
type setUp struct {
	dir, home string
	// files are what a launch deals with, the one that is written last.
	files   []string
	environ []string
}

// sandwich makes a typical set-up: eleven files of YAML, four prompts and five
// skills.
func sandwich(root string) (setUp, error) {
	s := setUp{dir: filepath.Join(root, "project"), home: filepath.Join(root, "home")}
	system := filepath.Join(root, "system")
	s.environ = []string{"HOME=" + s.home, "UCAS_HOME=" + system, "PATH=" + filepath.Join(root, "bin") + ":/usr/bin:/bin"}
	var err error
	write := func(path, text string, mode os.FileMode) {
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o755)
		}
		if err == nil {
			err = os.WriteFile(path, []byte(text), mode)
		}
		s.files = append(s.files, path)
	}
	for i, layer := range []string{system, filepath.Join(s.home, ".ucas"), filepath.Join(s.dir, ".ucas")} {
		write(filepath.Join(layer, "ucas.yaml"), config, 0o644)
		write(filepath.Join(layer, "ucas-override.yaml"), fmt.Sprintf("env:\n  LAYER: %d\n  DEBUG: no\n", i), 0o644)
	}
	write(filepath.Join(system, "agents", "acli-claude", "ucas.yaml"), "executable: claude\n"+strings.Replace(config, "allowed_acli:", "others:", 1), 0o644)
	agents := []string{
		filepath.Join(s.dir, ".ucas", "agents", "coder"), filepath.Join(s.home, ".ucas", "agents", "one"),
		filepath.Join(s.home, ".ucas", "agents", "two"), filepath.Join(system, "agents", "utils", "three"),
	}
	for i, dir := range agents {
		write(filepath.Join(dir, "ucas.yaml"), fmt.Sprintf("description: agent %d\nenv:\n  AGENT_%d: yes\n", i, i), 0o644)
		write(filepath.Join(dir, "PROMPT.md"), "You do one thing, and do it well.\n\nReport what you found.\n", 0o644)
		write(filepath.Join(dir, "skills", fmt.Sprintf("skill-%d", i)), "#!/bin/sh\necho skill\n", 0o755)
	}
	write(filepath.Join(agents[0], "skills", "lint"), "#!/bin/sh\necho lint\n", 0o755)
	write(filepath.Join(s.dir, ".ucas", "tmp", "floor.merged.md"), "", 0o600)
	if err == nil {
		err = s.otherFiles(root)
	}
	return s, err
}

// otherFiles makes what is there, but not read.
func (s *setUp) otherFiles(root string) error {
	bin := filepath.Join(root, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(bin, "claude"), []byte("#!/bin/sh\n"), 0o755)
}

// largeLibrary makes many agents in groups of a hundred, six entries each.
func largeLibrary(dir string, agents int) error {
	for i := range agents {
		agent := filepath.Join(dir, fmt.Sprintf("group-%03d", i/100), fmt.Sprintf("agent-%05d", i))
		if err := os.MkdirAll(filepath.Join(agent, "skills"), 0o755); err != nil {
			return err
		}
		for name, text := range map[string]string{
			"ucas.yaml":    fmt.Sprintf("default_acli: acli-claude\nenv:\n  NUMBER: %d\n", i),
			"PROMPT.md":    "You are one of many.\n",
			"README.md":    "What this agent is for.\n",
			"skills/lint":  "#!/bin/sh\n",
			"skills/build": "#!/bin/sh\n",
		} {
			if err := os.WriteFile(filepath.Join(agent, name), []byte(text), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
