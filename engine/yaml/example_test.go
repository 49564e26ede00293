package yaml_test

import (
	"fmt"
	"os"

	"ucas/engine/diag"
	"ucas/engine/yaml"
)

func ExampleParse() {
	src := []byte("model: opus-4.5\nmods: [strict, fast]\nenv:\n  VER: 1.10\n")
	n, err := yaml.Parse("ucas.yaml", src)
	if err != nil {
		diag.Print(os.Stderr, diag.All(err)...)
		return
	}
	ver := n.Get("env").Get("VER")
	fmt.Println(n.Any())
	fmt.Println(ver.Text, ver.KeySpan().Position())
	// Output:
	// map[env:map[VER:1.1] model:opus-4.5 mods:[strict fast]]
	// 1.10 ucas.yaml:4:3
}

func ExampleParse_problems() {
	src := []byte("debug: on\nenv: {A: 1}\n")
	_, err := yaml.Parse("ucas.yaml", src)
	diag.Print(os.Stdout, diag.All(err)...)
	// Output:
	// ucas.yaml:1:8: on is a boolean to some readers of YAML and text to others
	//   1 | debug: on
	//     |        ^^
	// hint: write true, or "on" if the text is meant
	// ucas.yaml:2:6: a mapping in braces
	//   2 | env: {A: 1}
	//     |      ^^^^^^
	// hint: write it over several lines:
	//       env:
	//         A: 1
}
