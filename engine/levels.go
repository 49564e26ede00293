package engine

import (
	"slices"

	"ucas/engine/diag"
	"ucas/engine/find"
	"ucas/engine/plan"
	"ucas/engine/selector"
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
	do(a.entities())
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
	a.warnOfHooks(l)
	return err
}

// warnOfHooks says that a level's layer hooks are not run.
func (a *assembler) warnOfHooks(l *find.Level) {
	if l.Hooks != "" {
		a.warn(diag.Warn(source.Span{}, "%s is not run: this version has no layer hooks", l.Hooks))
	}
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
	problems = append(problems, diag.All(a.entity("agent", a.o.Agent, source.Agent, 0))...)
	for _, name := range a.o.Mods {
		problems = append(problems, diag.All(a.entity("mod", name, source.Mod, len(a.mods)))...)
	}
	return problems.Err()
}

func (a *assembler) entity(word, name string, role source.Role, position int) error {
	e, err := a.library.Agent(word, name)
	if err != nil {
		return err
	}
	if a.isStacked(e.Dir) {
		a.warn(diag.Warn(source.Span{}, "%s is named twice; it is used once, where it was named first", name))
		return nil
	}
	l, err := a.library.EntityLevel(e, role, position)
	if err != nil {
		return err
	}
	if err := a.read(l); err != nil {
		return err
	}
	if role == source.Mod {
		a.mods = append(a.mods, name)
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

// isStacked reports whether an agent or mod of that directory is in the stack.
func (a *assembler) isStacked(dir string) bool {
	return slices.ContainsFunc(a.result.Levels, func(l *Level) bool {
		return l.Role.IsEntity() && l.Dir == dir
	})
}

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
		return nil, nil
	}
	return a.member(l, whole.Get("members").Get(a.o.Member))
}

// member returns the level of what a team sets for one member, and takes the
// agent and mods from it if none were asked for.
func (a *assembler) member(team *find.Level, node *tree.Node) (*Level, error) {
	if node == nil || node.Kind != tree.Map {
		return nil, diag.Errorf("team %s has no member %q", a.o.Team, a.o.Member).
			WithHint("members are listed under members: in %s", team.ConfigPath)
	}
	if a.o.Agent == "" {
		agent, mods := node.Get("agent"), node.Get("mods")
		if agent == nil || !agent.IsScalar() {
			return nil, diag.At(node.Span(), "member %s names no agent", a.o.Member).WithHint("write agent: name below it")
		}
		a.o.Agent = agent.Text
		for mod := range mods.Items() {
			a.o.Mods = append(a.o.Mods, mod.Text)
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

// runners are the levels that set executable.
func (a *assembler) runners() []selector.Runner {
	var runners []selector.Runner
	for _, l := range a.result.Levels {
		if node := l.executable(); node != nil {
			runners = append(runners, selector.Runner{Level: l.Level.Level, Name: l.asked, Span: node.Span()})
		}
	}
	return runners
}

// executable returns what the level sets that key to, nil if it does not.
func (l *Level) executable() *tree.Node {
	node := l.Tree
	switch {
	case len(l.Path) == 0:
		node = l.Tree.Get("executable")
	case len(l.Path) > 1 || l.Path[0] != "executable":
		return nil
	}
	if node == nil || node.Kind == tree.Null {
		return nil
	}
	return node
}
