package engine_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// dependencies says which package may import which: of the module's own those
// named, of other modules those with a dot. The standard library is free, but
// for what is listed in forbidden. A package that is not listed fails the test:
// opening an edge is a decision about the structure, not a fix.
var dependencies = map[string]string{
	"engine/source":   "",
	"engine/diag":     "engine/source",
	"engine/tree":     "engine/source",
	"engine/yaml":     "engine/source engine/diag engine/tree",
	"engine/find":     "engine/source engine/diag",
	"engine/merge":    "engine/source engine/diag engine/tree",
	"engine/selector": "engine/source engine/diag engine/tree engine/merge",
	"engine/plan":     "engine/source engine/diag engine/tree engine/merge engine/selector",
	"engine/script": "engine/source engine/diag engine/tree golang.org/x/sys/unix go.starlark.net/starlark " +
		"go.starlark.net/starlarkstruct go.starlark.net/syntax go.starlark.net/resolve go.starlark.net/lib/json " +
		"go.starlark.net/lib/math",
	"engine": "engine/source engine/diag engine/tree engine/yaml engine/find engine/merge engine/selector " +
		"engine/plan engine/script",
	"starlib":       "",
	"engine/launch": "engine/source engine/diag engine/plan",
	"layers":        "",
	"cmd/ucas": "engine engine/source engine/diag engine/tree engine/merge engine/selector engine/plan engine/launch engine/script " +
		"layers starlib github.com/alecthomas/kong golang.org/x/term",
}

// forbidden are packages of the standard library that one package alone may
// use: it is the one place that starts programs.
var forbidden = map[string][]string{
	"os/exec": {"engine/launch"},
	"net":     {},
}

func TestImports(t *testing.T) {
	for _, p := range listPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, "ucas/")
		allowed, listed := dependencies[name]
		if !listed {
			t.Errorf("%s is not in the table of dependencies", name)
			continue
		}
		for _, imported := range p.Imports {
			own, isOwn := strings.CutPrefix(imported, "ucas/")
			switch {
			case isOwn || strings.Contains(strings.SplitN(imported, "/", 2)[0], "."):
				if !slices.Contains(strings.Fields(allowed), own) {
					t.Errorf("%s must not import %s", name, imported)
				}
			case forbidden[imported] != nil && !slices.Contains(forbidden[imported], name):
				t.Errorf("%s must not import %s", name, imported)
			}
		}
	}
}

type goPackage struct {
	ImportPath string
	Imports    []string
}

func listPackages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "ucas/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []goPackage
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
	if len(packages) < len(dependencies) {
		t.Errorf("go list shows %d packages; the table has %d", len(packages), len(dependencies))
	}
	return packages
}
