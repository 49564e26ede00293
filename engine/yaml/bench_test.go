package yaml

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
)

// config40 is a configuration of forty lines as people write them.
const config40 = `# The reviewer of the payments team
executable: "claude"          # this makes it a harness (ACLI)
requested_model: gpt-5.2-pro
ignore_unknown: true
prompt_mode: append

arg_mapping:
  prompt_file: "--system"
  skills_dir: "--tools"
  model_flag: "--model"
  session: "--session-id={}"
  task: ["--", "{}"]

model_mapping:
  "gpt-5.2-pro": "opus-4.5"
  "codex": "opus-4.5"
  "gpt-4": "sonnet-3.5"
  "default": "sonnet-3.5"     # fallback when no mapping exists

allowed_acli: [acli-claude, acli-codex, acli-gemini]
env:
  ANTHROPIC_BASE_URL: https://api.example.com/v1
  TIMEOUT: 30
  TEMPERATURE: 0.7
  DEBUG: no
  HTTP_PROXY: null

team:
  sleep_seconds: 2
  agents:
    reviewer:
      agent: code-reviewer
      mods: [strict, git-flow]
    tester:
      agent: qa/tester
      mods:
        - fast
        - verbose
skills:
  - ../shared/skills
  - /opt/ucas/skills
`

func BenchmarkParse40(b *testing.B) {
	src := []byte(config40)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseMapping("ucas.yaml", src); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkJSON40(b *testing.B) {
	benchmarkJSON(b, []byte(config40))
}

func BenchmarkParse10MB(b *testing.B) {
	src := large(10 << 20)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseMapping("large.yaml", src); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkJSON10MB(b *testing.B) {
	benchmarkJSON(b, large(10<<20))
}

// benchmarkJSON reads the same data as JSON, into the values that come
// nearest: any. Bytes a second are those of the YAML.
func benchmarkJSON(b *testing.B, src []byte) {
	n, err := Parse("ucas.yaml", src)
	if err != nil {
		b.Fatal(err)
	}
	data, err := json.Marshal(n.Any())
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPrint40(b *testing.B) {
	n, err := Parse("ucas.yaml", []byte(config40))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		Print(n)
	}
}

// large returns at least size bytes of YAML: one mapping of many
// configurations.
func large(size int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "agent-%d:\n", i)
		for line := range bytes.Lines([]byte(config40)) {
			b.WriteString("  ")
			b.Write(line)
		}
	}
	return b.Bytes()
}
