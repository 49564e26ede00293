package engine

import (
	"errors"
	"slices"

	"ucas/engine/diag"
	"ucas/engine/find"
	"ucas/engine/plan"
	"ucas/engine/source"
	"ucas/engine/tree"
	"ucas/engine/yaml"
)

// gather reads the levels of the sandwich. It goes on after a broken file, so
// that all of them are reported at once.
func (a *assembler) gather() error {
	var problems diag.List
	do := func(err error) { problems = append(problems, diag.All(err)...) }

	do(a.base(source.System))
	do(a.base(source.User))
	member, err := a.team()
	do(err)
	do(a.base(source.Project))
	if a.agent != "" { // else the team does not say whom to run
		do(a.entities())
	}
	if member != nil {
		a.add(member)
	}
	do(a.commandLine())
	for _, role := range []source.Role{source.SystemOverride, source.UserOverride, source.ProjectOverride} {
		do(a.base(role))
	}
	return problems.Err()
}

// base adds the level of a whole layer, if there is that layer.
func (a *assembler) base(role source.Role) error {
	l, err := a.library.BaseLevel(role)
	if err != nil || l == nil {
		return err
	}
	return a.read(l)
}

// read parses a level's configuration and adds the level.
func (a *assembler) read(l *find.Level) error {
	node, err := a.parse(l)
	a.add(&Level{Level: *l, Tree: node})
	return errors.Join(err, a.hooks.prepare(l.Hooks))
}

func (a *assembler) parse(l *find.Level) (*tree.Node, error) {
	if l.Config == nil {
		return nil, nil
	}
	if node, ok := a.trees[l.ConfigPath]; ok {
		return node, nil
	}
	node, err := yaml.ParseMapping(l.Config.Name, l.Config.Text)
	if err == nil {
		a.trees[l.ConfigPath] = node
	}
	return node, err
}

func (a *assembler) add(l *Level) { a.result.Levels = append(a.result.Levels, l) }

func (a *assembler) warn(p *diag.Problem) {
	a.result.Warnings = append(a.result.Warnings, p)
}

// entities adds the agent and the mods, with their prompts and skills.
func (a *assembler) entities() error {
	var problems diag.List
	do := func(err error) { problems = append(problems, diag.All(err)...) }
	look := func(word, name string) *find.Entity {
		e, err := a.library.Agent(word, name)
		do(err)
		return e
	}

	agent := look("agent", a.agent)
	if agent != nil {
		do(a.entity(agent, a.agent, source.Agent, 0))
	}
	var mods []*entityName
	for _, name := range a.wanted {
		if e := look("mod", name); e != nil {
			mods = append(mods, &entityName{e, name})
		}
	}
	for _, mod := range a.eachOnce(agent, mods) {
		a.mods = append(a.mods, mod.name)
		do(a.entity(mod.entity, mod.name, source.Mod, len(a.mods)-1))
	}
	return problems.Err()
}

// An entityName is an entity with the name by which it was asked for.
type entityName struct {
	entity *find.Entity
	name   string
}

// eachOnce drops mods that are named again later, or that are the agent: the
// last one wins, and nothing is said twice.
func (a *assembler) eachOnce(agent *find.Entity, mods []*entityName) []*entityName {
	var once []*entityName
	for i, mod := range mods {
		again := slices.ContainsFunc(mods[i+1:], func(m *entityName) bool { return m.entity == mod.entity })
		switch {
		case mod.entity == agent:
			a.warn(diag.Warn(source.Span{}, "%s is the agent already; it is not laid over itself", mod.name))
		case again:
			a.warn(diag.Warn(source.Span{}, "%s is named twice; it counts where it is named last", mod.name))
		default:
			once = append(once, mod)
		}
	}
	return once
}

func (a *assembler) entity(e *find.Entity, name string, role source.Role, position int) error {
	l, err := a.library.EntityLevel(e, role, position)
	if err != nil {
		return err
	}
	if err := a.read(l); err != nil {
		return err
	}
	a.last().asked = name
	a.last().Skills = a.library.Skills(e)
	prompt, err := a.library.Prompt(e)
	if prompt != nil {
		a.prompts = append(a.prompts, plan.PromptSource{Entity: e.Name, File: prompt})
	}
	return err
}

func (a *assembler) last() *Level { return a.result.Levels[len(a.result.Levels)-1] }

// team adds the level of the team, if one is asked for, and returns that of
// its member, which comes later.
func (a *assembler) team() (*Level, error) {
	if a.o.Team == "" {
		return nil, nil
	}
	e, err := a.library.Team(a.o.Team)
	if err != nil {
		return nil, err
	}
	l, err := a.library.EntityLevel(e, source.Team, 0)
	if err != nil {
		return nil, err
	}
	if err := a.read(l); err != nil {
		return nil, err
	}
	whole := a.last().Tree
	a.last().Tree = without(whole, "name", "members")
	if a.o.Member == "" {
		if a.agent == "" {
			return nil, diag.Errorf("no member of team %s was named, and no agent", a.o.Team).WithHint("name one of its members")
		}
		return nil, nil
	}
	members := whole.Get("members")
	if members != nil && members.Kind != tree.Map {
		return nil, diag.At(members.Span(), "members must be a mapping of names to what they are").
			WithHint("write members:\n  %s:\n    agent: name", a.o.Member)
	}
	return a.member(l, members)
}

// member returns the level of what a team sets for one member, and takes the
// agent and mods from it if none were asked for.
func (a *assembler) member(team *find.Level, members *tree.Node) (*Level, error) {
	node := members.Get(a.o.Member)
	if node == nil || node.Kind != tree.Map {
		var names []string
		for m := range members.Items() {
			names = append(names, m.Key)
		}
		p := diag.Errorf("team %s has no member %q", a.o.Team, a.o.Member).
			WithHint("members are listed under members: in %s", a.library.Show(team.ConfigPath))
		if near := diag.DidYouMean(a.o.Member, names); near != "" {
			p.Hint = near
		}
		return nil, p
	}
	if a.agent == "" {
		if err := a.memberEntities(node); err != nil {
			return nil, err
		}
	}
	return &Level{
		Level: find.Level{
			Level: source.Level{Role: source.Member, Name: a.o.Member, Layer: team.Layer},
			Dir:   team.Dir, ConfigPath: team.ConfigPath, Config: team.Config,
		},
		Tree: without(node, "agent", "mods"),
	}, nil
}

// memberEntities takes the agent and the mods that a member names.
func (a *assembler) memberEntities(member *tree.Node) error {
	agent, mods := member.Get("agent"), member.Get("mods")
	if agent == nil || agent.Kind != tree.String {
		return diag.At(member.Span(), "member %s names no agent", a.o.Member).WithHint("write agent: name below it")
	}
	var names []string
	for mod := range mods.Items() {
		names = append(names, mod.Text)
		if mod.Kind != tree.String {
			return diag.At(mod.Span(), "a mod of member %s is no name", a.o.Member).WithHint("write mods: [name]")
		}
	}
	if mods != nil && mods.Kind != tree.List && mods.Kind != tree.Null {
		return diag.At(mods.Span(), "mods of member %s must be a list of names", a.o.Member).WithHint("write mods: [%s]", mods.Text)
	}
	a.agent, a.wanted = agent.Text, append(names, a.wanted...)
	return nil
}

// without returns a mapping without some of its keys.
func without(node *tree.Node, keys ...string) *tree.Node {
	for _, key := range keys {
		if node.Get(key) != nil {
			node = node.With(key, nil)
		}
	}
	return node
}

// commandLine adds the keys that were set on the command line.
func (a *assembler) commandLine() error {
	var problems diag.List
	for _, set := range a.o.Set {
		path, value, err := parseSet(set)
		problems = append(problems, diag.All(err)...)
		if err == nil {
			a.addCommandLine(path, value)
		}
	}
	if a.o.Wrapper != "" {
		file := source.NewFile("--wrapper", []byte(a.o.Wrapper))
		a.addCommandLine([]string{"wrapper"}, tree.NewString(a.o.Wrapper, source.Span{File: file, End: len(file.Text)}))
	}
	return problems.Err()
}

func (a *assembler) addCommandLine(path []string, value *tree.Node) {
	a.add(&Level{
		Level: find.Level{Level: source.Level{Role: source.CommandLine}, Dir: a.o.Dir, Config: value.File},
		Tree:  value, Path: path,
	})
}

// executableOf returns what makes a configuration that of a harness, nil if
// nothing does.
func executableOf(config *tree.Node) *tree.Node {
	if node := config.Get("executable"); node != nil && node.Kind != tree.Null {
		return node
	}
	return nil
}
