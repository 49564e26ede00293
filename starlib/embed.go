// Package starlib holds the modules that layer hooks load from @ucas: paths,
// quoting, versions, the environment, model tiers and wrappers. They are
// Starlark, one struct a file, named after it. Start with [FS].
//
// The package does not evaluate them: that is the engine's part.
package starlib

import (
	"embed"
	"io/fs"
)

//go:embed *.star
var modules embed.FS

// FS returns the modules: load("@ucas//path.star", "path") means the file
// path.star at its root.
func FS() fs.FS { return modules }
