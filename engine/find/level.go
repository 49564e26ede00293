package find

import (
	"path/filepath"

	"ucas/engine/diag"
	"ucas/engine/source"
)

// A Level is a level of the sandwich with the files that it reads.
type Level struct {
	source.Level
	// Dir is the directory of the files.
	Dir string
	// Entity is the agent, mod, ACLI or team that plays the role, if any.
	Entity *Entity
	// Config is the level's text, nil if it has no such file; ConfigPath is
	// where it was looked for.
	Config     *source.File
	ConfigPath string
	// Hooks is the text of the level's layer hooks, nil if it has none.
	Hooks *source.File
}

// BaseLevel reads the level of a whole layer: its defaults or, for the roles
// of vetoes, its override files. It returns nil if there is no such layer.
func (l *Library) BaseLevel(role source.Role) (*Level, error) {
	config, hooks := ConfigFile, HookFile
	if role.IsOverride() {
		config, hooks = OverrideFile, OverrideHook
	}
	layer := layerOf(role)
	dir := l.roots[layer]
	if dir == "" {
		return nil, nil
	}
	level := &Level{Level: source.Level{Role: role, Number: numbers[role], Layer: layer}, Dir: dir}
	return level, l.readLevel(level, config, hooks)
}

// EntityLevel reads the level of an agent, mod, ACLI or team. The position is
// that of a mod in the order of the command line, from 0.
func (l *Library) EntityLevel(e *Entity, role source.Role, position int) (*Level, error) {
	number := numbers[role]
	if role == source.Mod {
		number = min(number+position, lastModNumber)
	}
	level := &Level{
		Level: source.Level{Role: role, Number: number, Name: e.Name, Layer: e.Layer},
		Dir:   e.Dir, Entity: e,
	}
	for _, name := range []string{OverrideFile, OverrideHook} {
		if path := filepath.Join(e.Dir, name); exists(path) {
			l.Warnings = append(l.Warnings, diag.Warn(source.Span{}, "%s is not read: only a layer has vetoes", l.Show(path)).
				WithHint("move it to the layer's own directory, %s", l.Show(l.roots[e.Layer])))
		}
	}
	return level, l.readLevel(level, ConfigFile, HookFile)
}

// lastModNumber is the number of the third mod and all that follow it.
const lastModNumber = 8

// numbers are those of the load order.
var numbers = [...]int{
	source.System: 1, source.User: 2, source.Team: 3, source.Project: 4, source.Agent: 5, source.Mod: 6,
	source.SystemOverride: 9, source.UserOverride: 10, source.ProjectOverride: 11,
}

func layerOf(role source.Role) source.Layer {
	switch role {
	case source.System, source.SystemOverride:
		return source.SystemLayer
	case source.User, source.UserOverride:
		return source.UserLayer
	}
	return source.ProjectLayer
}

func (l *Library) readLevel(level *Level, config, hooks string) (err error) {
	level.ConfigPath = filepath.Join(level.Dir, config)
	if other := misnamed(level.ConfigPath); other != "" {
		l.Warnings = append(l.Warnings, diag.Warn(source.Span{}, "%s is not read", l.Show(other)).
			WithHint("rename it to %s", config))
	}
	if level.Config, err = l.Read(level.ConfigPath); err != nil {
		return err
	}
	level.Hooks, err = l.Read(filepath.Join(level.Dir, hooks))
	return err
}

// Config returns the text of an entity's configuration, nil if it has none.
// Several may be read at a time; they are not recorded as inputs.
func (l *Library) Config(e *Entity) (*source.File, error) {
	return l.readFile(filepath.Join(e.Dir, ConfigFile), nil)
}

// Hooks returns the text of an entity's layer hooks, nil if it has none.
func (l *Library) Hooks(e *Entity) (*source.File, error) {
	return l.Read(filepath.Join(e.Dir, HookFile))
}

// Prompt returns the text of an entity's PROMPT.md, nil if it has none.
func (l *Library) Prompt(e *Entity) (*source.File, error) {
	return l.Read(filepath.Join(e.Dir, PromptFile))
}

// Skills returns an entity's directory of skills, "" if it has none.
func (l *Library) Skills(e *Entity) string {
	dir := filepath.Join(e.Dir, SkillsDir)
	if l.Exists(dir + string(filepath.Separator)) {
		return dir
	}
	return ""
}

// IsDir reports whether there is a directory at a path.
func (l *Library) IsDir(path string) bool {
	return l.Exists(filepath.Clean(path) + string(filepath.Separator))
}
