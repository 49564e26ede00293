package plan

import (
	"strings"
	"unicode"

	"ucas/engine/source"
)

// separator stands between the parts of a merged prompt.
const separator = "\n\n---\n\n"

// byteOrderMark may stand at the start of a file, not inside of a text.
const byteOrderMark = "\uFEFF"

// prompt merges the prompts: each without trailing white space, one newline
// at the end. A PROMPT.md with nothing in it is no part.
func (b *builder) prompt() {
	var text strings.Builder
	line := 1
	for _, p := range b.Prompts {
		part := strings.TrimRightFunc(strings.TrimPrefix(string(p.File.Text), byteOrderMark), unicode.IsSpace)
		if part == "" {
			continue
		}
		if text.Len() > 0 {
			text.WriteString(separator)
			line += strings.Count(separator, "\n")
		}
		text.WriteString(part)
		last := line + strings.Count(part, "\n")
		b.plan.Prompt.Parts = append(b.plan.Prompt.Parts, PromptPart{
			Entity: p.Entity, Span: source.Span{File: p.File, End: len(p.File.Text)},
			FirstLine: line, LastLine: last,
		})
		line = last
	}
	if text.Len() == 0 {
		return
	}
	text.WriteByte('\n')
	b.plan.Prompt.Text = text.String()
	b.plan.Prompt.File = b.artifact(".merged.md")
	b.plan.Files = append(b.plan.Files, File{Path: b.plan.Prompt.File, Text: b.plan.Prompt.Text})
}
