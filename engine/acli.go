package engine

import (
	"slices"

	"ucas/engine/diag"
	"ucas/engine/find"
	"ucas/engine/merge"
	"ucas/engine/selector"
	"ucas/engine/source"
	"ucas/engine/tree"
)

// acli looks up what a name means as a harness.
func (a *assembler) acli(name string) (selector.ACLI, error) {
	e, l, err := a.acliLevel(name)
	if err != nil {
		return selector.ACLI{}, err
	}
	// Hooks may set executable. Whether they do is seen once they ran.
	return selector.ACLI{Name: name, Dir: e.Dir, Runs: executableOf(l.Tree) != nil || l.Hooks != nil}, nil
}

// acliLevel reads the level of a harness, once.
func (a *assembler) acliLevel(name string) (*find.Entity, *Level, error) {
	e, err := a.library.Agent("ACLI", name)
	if err != nil {
		return nil, nil, err
	}
	if level := a.aclis[e]; level != nil {
		return e, level, nil
	}
	l, err := a.library.EntityLevel(e, source.ACLI, 0)
	if err != nil {
		return nil, nil, err
	}
	node, err := a.parse(l)
	if err != nil {
		return nil, nil, err
	}
	if err := a.hooks.prepare(l.Hooks); err != nil {
		return nil, nil, err
	}
	a.aclis[e] = &Level{Level: *l, Tree: node}
	return e, a.aclis[e], nil
}

// placeACLI puts the level of the chosen harness after those of agent, mods
// and member, unless it is one of them, and leaves out the keys of all other
// harnesses: nothing of one may leak into another.
func (a *assembler) placeACLI() error {
	if a.result.Choice.Name == "" {
		return nil // a level that is no ACLI sets executable
	}
	e, level, err := a.acliLevel(a.result.Choice.Name)
	if err != nil {
		return err
	}
	stacked := false
	for i, l := range a.result.Levels {
		executable := a.executableOf(i)
		if !l.Role.IsEntity() || executable == nil && l.Dir != e.Dir {
			continue
		}
		if l.Dir == e.Dir {
			stacked, l.isRunner = true, true
		} else {
			l.LeftOut = "another harness was chosen: " + e.Name
			a.warn(diag.Warn(executable.Span, "%s is not used as the harness: %s is, by %s",
				l.Level.Name, e.Name, a.result.Choice.Rule()))
		}
	}
	if !stacked {
		level.isRunner, level.placed = true, true
		a.result.Levels = slices.Insert(a.result.Levels, a.afterEntities(), level)
	}
	return nil
}

// executableOf returns the definition by which a level, in its file or by its
// hook, makes itself a harness; nil if it does not.
func (a *assembler) executableOf(index int) *merge.Definition {
	key := a.result.Doc.Key("executable")
	if key == nil {
		return nil
	}
	for _, d := range key.Definitions {
		if d.Source == index && d.Value.Kind != tree.Null && d.Fate != merge.Dropped && d.Fate != merge.Refused {
			return d
		}
	}
	return nil
}

// chosenName is the name of the chosen harness, "" before it is chosen.
func (a *assembler) chosenName() string {
	if a.result.Choice == nil {
		return ""
	}
	return a.result.Choice.Name
}

// afterEntities returns the index of the first level that is stronger than
// the harness's own.
func (a *assembler) afterEntities() int {
	i := slices.IndexFunc(a.result.Levels, func(l *Level) bool { return l.Role > source.ACLI })
	if i < 0 {
		return len(a.result.Levels)
	}
	return i
}

// runnerName names the chosen harness in messages.
func (a *assembler) runnerName() string {
	if c := a.result.Choice; c.Name == "" {
		return "the executable of " + c.Level.String()
	}
	return a.result.Choice.Name
}
