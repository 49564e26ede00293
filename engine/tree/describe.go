package tree

import "strconv"

// Describe says what a value is, for messages: a list, the boolean yes.
func (n *Node) Describe() string {
	switch {
	case n == nil || n.Kind == Null:
		return "null"
	case !n.IsScalar():
		return "a " + n.Kind.String()
	case n.Kind == String:
		return "the text " + strconv.Quote(short(n.Text))
	}
	return "the " + n.Kind.String() + " " + n.Text
}

// short cuts a text that is too long for a message.
func short(text string) string {
	const longest = 40 // characters
	if r := []rune(text); len(r) > longest {
		return string(r[:longest]) + "..."
	}
	return text
}
