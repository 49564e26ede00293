package source

// A Level is a step of the sandwich of sources that are merged, from the
// weakest to the strongest.
type Level struct {
	Role Role
	// Number is the level's number in the load order, 1 to 11; mods from the
	// third on are all 8, and the levels that the load order does not number
	// (member, ACLI, command line) are 0.
	Number int
	// Name is the entity's name where the role has one.
	Name string
	// Layer is where the level's files lie.
	Layer Layer
}

// String returns the level as people know it: "project", "mod git-mod".
func (l Level) String() string {
	if l.Name == "" {
		return l.Role.String()
	}
	return l.Role.String() + " " + l.Name
}

// A Role is what a level does in the sandwich.
type Role uint8

// The roles, in load order.
const (
	System Role = iota + 1
	User
	Team
	Project
	Agent
	Mod
	Member
	ACLI
	CommandLine
	SystemOverride
	UserOverride
	ProjectOverride
)

var roleNames = [...]string{
	"", "system", "user", "team", "project", "agent", "mod", "member", "acli", "command line",
	"system override", "user override", "project override",
}

// String returns the role's name.
func (r Role) String() string { return roleNames[r] }

// IsOverride reports whether the role is one of the three vetoes.
func (r Role) IsOverride() bool { return r >= SystemOverride }

// IsEntity reports whether the role is played by an agent directory.
func (r Role) IsEntity() bool { return r == Agent || r == Mod || r == ACLI }

// The directories of a project.
const (
	ProjectDir = ".ucas" // the root of its layer
	TmpDir     = "tmp"   // below it: what launches write
	MemDir     = "mem"   // below it: agents' memory
)

// A Layer is one of the three places that hold definitions.
type Layer uint8

// The layers, the weakest first. NoLayer is that of the command line.
const (
	NoLayer Layer = iota
	SystemLayer
	UserLayer
	ProjectLayer
)

var layerNames = [...]string{"none", "system", "user", "project"}

// String returns the layer's name.
func (l Layer) String() string { return layerNames[l] }
