// Package layers holds the factory library: the system layer that is used
// where neither $UCAS_HOME nor /opt/ucas provides one. It is plain files, laid
// out like any other layer. Start with [FS].
//
// The package does not read or merge the files, and does not unpack them: that
// is the engine's part.
package layers

import (
	"embed"
	"io/fs"
)

//go:embed ucas.yaml agents teams
var library embed.FS

// FS returns the factory library, its ucas.yaml at the root. Embedded files
// have no executable bit: what lies directly in a directory named skills is
// meant to be a program.
func FS() fs.FS { return library }
