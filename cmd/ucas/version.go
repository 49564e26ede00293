package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is set by the linker for a release.
var version = ""

// versionCmd is "ucas version".
type versionCmd struct{}

func (c *versionCmd) run(p *program, _ *global) error {
	_, err := fmt.Fprintf(p.stdout, "ucas %s %s %s/%s\n", buildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// buildVersion is the release, or what the binary was built from.
func buildVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return "devel " + s.Value[:min(12, len(s.Value))]
		}
	}
	if info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}
