package script

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ucas/engine/diag"
	"ucas/engine/source"

	"go.starlark.net/starlark"
)

// advised returns a problem in our words, with a hint. Before is the line up
// to its place, where that is known.
func advised(at source.Span, text, before string) *diag.Problem {
	if name, _, ok := cutAround(text, "ctx has no .", " field or method"); ok {
		return unknownAttribute(at, name)
	}
	if name, module, ok := cutAround(text, "load: name ", " not found in module "+libraryPrefix); ok {
		return notInLibrary(at, name, module)
	}
	for _, a := range advices() {
		said, ok := match(a.says, text)
		if !ok {
			continue
		}
		if _, ok := match(a.before, strings.TrimLeft(before, " \t")); a.before != "" && !ok {
			continue
		}
		if a.message != "" {
			text = fill(a.message, said)
		}
		return diag.At(at, "%s", inOurWords(text)).WithHint("%s", fill(a.hint, said))
	}
	if name, ok := strings.CutPrefix(text, "undefined: "); ok {
		return unknownName(at, name)
	}
	return diag.At(at, "%s", inOurWords(text))
}

func inOurWords(text string) string {
	return strings.Replace(text, "want primary expression", "want an expression", 1)
}

func unknownAttribute(at source.Span, name string) *diag.Problem {
	known := append(slices.Sorted(maps.Keys(ctxMethods())), Facts()...)
	hint := diag.DidYouMean(name, known)
	if hint == "" {
		hint = "ctx has " + strings.Join(known, ", ")
	}
	return diag.At(at, "ctx has no %s", name).WithHint("%s", hint)
}

// notInLibrary is for a name that a module of the library does not have: each
// has one, its own, and all else in that.
func notInLibrary(at source.Span, name, module string) *diag.Problem {
	file, _, _ := strings.Cut(module, " ")
	own := strings.TrimSuffix(file, ".star")
	return diag.At(at, "load: %s%s has no %s", libraryPrefix, file, name).
		WithHint("write load(\"%s%s\", %q), and then %s.%s", libraryPrefix, file, own, own, strings.TrimPrefix(name, "_"))
}

func unknownName(at source.Span, name string) *diag.Problem {
	p := diag.At(at, "undefined: %s", name)
	known := append(slices.Sorted(maps.Keys(starlark.Universe)), "struct", "json", "math")
	if near := diag.Slips(name, known); len(near) > 0 {
		return p.WithHint("did you mean %s?", near[0])
	}
	return p.WithHint(`set it first, or load it: load("FILE.star", %q)`, name)
}

// cutAround returns what stands between two texts.
func cutAround(s, before, after string) (between, rest string, ok bool) {
	s, ok = strings.CutPrefix(s, before)
	if !ok {
		return "", "", false
	}
	return strings.Cut(s, after)
}

// match reports whether a text fits a pattern, in which "…" stands for any
// text, and returns what it stood for.
func match(pattern, text string) (said []string, ok bool) {
	parts := strings.Split(pattern, "…")
	text, ok = strings.CutPrefix(text, parts[0])
	for i, part := range parts[1:] {
		n := strings.Index(text, part)
		if i == len(parts)-2 {
			n = len(text) - len(part)
		}
		if !ok || n < 0 || text[n:n+len(part)] != part {
			return nil, false
		}
		said = append(said, text[:n])
		text = text[n+len(part):]
	}
	return said, ok && text == ""
}

// fill puts what was said in place of $1, $2 and so on.
func fill(text string, said []string) string {
	for i, s := range said {
		text = strings.ReplaceAll(text, fmt.Sprintf("$%d", i+1), s)
	}
	return text
}

// An advice is for those who know other languages better than Starlark.
type advice struct {
	// says is what the interpreter says, see match.
	says string
	// before is the line up to the place, for a text that means several things.
	before string
	// message is what we say instead, if anything.
	message string
	hint    string
}

// advices returns all advice; the first that fits counts.
func advices() []advice {
	return slices.Concat(nameAdvices(), syntaxAdvices(), valueAdvices(), attributeAdvices())
}

func nameAdvices() []advice {
	return []advice{
		{says: "undefined: true", hint: "write True"},
		{says: "undefined: false", hint: "write False"},
		{says: "undefined: null", hint: "write None"},
		{says: "undefined: nil", hint: "write None"},
		{says: "undefined: none", hint: "write None"},
		{says: "undefined: undefined", hint: "write None"},
		{says: "undefined: ctx", hint: "ctx is the parameter of a hook: use it in def configure(ctx):"},
		{says: "undefined: os", hint: "read variables with ctx.env(name), find programs with ctx.which(name)"},
		{says: "undefined: sys", hint: "a hook reaches the outside through ctx only"},
		{says: "undefined: open", hint: "read files with ctx.read(path)"},
		{says: "undefined: isinstance", hint: `compare the type's name: type(x) == "string"`},
		{says: "undefined: map", hint: "write a comprehension: [f(x) for x in xs]"},
		{says: "undefined: filter", hint: "write a comprehension: [x for x in xs if f(x)]"},
		{says: "undefined: sum", hint: "add up in a loop: for x in xs: total += x"},
		{says: "undefined: round", hint: "write math.round(x)"},
		{says: "undefined: exit", hint: "leave a function with return; refuse to go on with fail(text)"},
		{says: "undefined: format", hint: `write "{}".format(x) or "%s" % x`},
		{says: "undefined: … (did you mean …?)", message: "undefined: $1", hint: "did you mean $2?"},
		{says: "cannot reassign … declared at …", message: "cannot set $1 again",
			hint: "a name at the top level is set once: take another name, or work in a function"},
		{says: "local variable … referenced before assignment",
			hint: "set it in this function first: one of the top level cannot be changed here"},
		{says: "global variable … referenced before assignment", hint: "set it further up in the file"},
		{says: "load: name … not found in module … (did you mean …?)",
			message: "load: $2 has no $1", hint: "did you mean $3?"},
		{says: "load: name … not found in module …", message: "load: $2 has no $1", hint: "look into $2 for what it defines"},
	}
}

func syntaxAdvices() []advice {
	return slices.Concat(statementAdvices(), operatorAdvices(), layoutAdvices())
}

func statementAdvices() []advice {
	const expression = ", want primary expression"
	return []advice{
		{says: "got import" + expression, message: "there is no import", hint: `write load("FILE.star", "NAME")`},
		{says: "got from" + expression, message: "there is no import", hint: `write load("FILE.star", "NAME")`},
		{says: "got class" + expression, message: "there are no classes", hint: "use functions, and struct(name=value)"},
		{says: "got try" + expression, message: "there is no try",
			hint: "ask first: x.get(key, default), key in x, ctx.exists(path)"},
		{says: "got except" + expression, message: "there is no except", hint: "an error ends the hook"},
		{says: "got raise" + expression, message: "there is no raise", hint: "write fail(text)"},
		{says: "got with" + expression, message: "there is no with", hint: "read files with ctx.read(path)"},
		{says: "got del" + expression, message: "there is no del", hint: "write x.pop(key)"},
		{says: "got global" + expression, message: "there is no global", hint: "return the value instead"},
		{says: "got nonlocal" + expression, message: "there is no nonlocal", hint: "return the value instead"},
		{says: "got yield" + expression, message: "there is no yield", hint: "return a list"},
		{says: "got async" + expression, message: "there is no async", hint: "write def alone"},
		{says: "got await" + expression, message: "there is no await", hint: "leave it out"},
		{says: "got else" + expression, hint: "align it with its if"},
		{says: "got elif" + expression, hint: "align it with its if"},
		{says: "got identifier, want newline", before: "assert …", message: "there is no assert", hint: "write if not x: fail(text)"},
		{says: "got identifier, want newline", before: "let ", hint: "write NAME = VALUE, without let"},
		{says: "got identifier, want newline", before: "var ", hint: "write NAME = VALUE, without var"},
		{says: "got identifier, want newline", before: "const ", hint: "write NAME = VALUE, without const"},
		{says: "got identifier, want newline", before: "function ", hint: "write def NAME(ctx):"},
		{says: "got identifier, want newline", before: "func ", hint: "write def NAME(ctx):"},
		{says: "got …, want newline", before: "print …", hint: "print is a function: print(x)"},
		{says: "…does not support while loops", message: "there are no while loops",
			hint: "write for i in range(1000): and leave it with break"},
		{says: "if statement not within a function",
			hint: "put it into a function, or write NAME = a if condition else b"},
		{says: "for loop not within a function",
			hint: "put it into a function, or write NAME = [f(x) for x in xs]"},
		{says: "return statement not within a function", hint: "indent it below its def"},
		{says: "load statement within …", hint: "put it at the start of the file"},
		{says: "first operand of load statement …", hint: `write load("FILE.star", "NAME")`},
		{says: "load operand must be …", hint: `write load("FILE.star", "NAME", OWN="NAME")`},
		{says: "load statement must import at least 1 symbol", hint: `name what you need: load("FILE.star", "NAME")`},
		{says: "function … called recursively", hint: "there is no recursion: work through a list in a loop"},
	}
}

func operatorAdvices() []advice {
	const expression = ", want primary expression"
	return []advice{
		{says: "got string literal, want …", before: "…f", message: "there are no f-strings",
			hint: `write "{} {}".format(a, b) or "%s %s" % (a, b)`},
		{says: "got string literal, want …", before: "…F", message: "there are no f-strings",
			hint: `write "{} {}".format(a, b) or "%s %s" % (a, b)`},
		{says: "got string literal, want newline", hint: "join strings with +"},
		{says: "got '&'" + expression, before: "…&", message: "there is no &&", hint: "write and"},
		{says: "got '|'" + expression, before: "…|", message: "there is no ||", hint: "write or"},
		{says: "unexpected input character '!'", message: "there is no !", hint: "write not x; unequal is !="},
		{says: "unexpected input character '?'", message: "there is no ?", hint: "write a if condition else b"},
		{says: "unexpected input character '@'", message: "there are no decorators", hint: "leave the line out"},
		{says: "unexpected input character '“'", hint: `use straight quotes: "`},
		{says: "unexpected input character '”'", hint: `use straight quotes: "`},
		{says: "unexpected input character '‘'", hint: "use straight quotes: '"},
		{says: "unexpected input character '’'", hint: "use straight quotes: '"},
		{says: "unexpected input character '`'", hint: `use straight quotes: "`},
		{says: "got is, want …", message: "there is no is", hint: "write == or !="},
		{says: "got '**', want …", message: "there is no **", hint: "write math.pow(x, y)"},
		{says: "got newline" + expression, before: "…++", message: "there is no ++", hint: "write += 1"},
		{says: "got end of file" + expression, before: "…++", message: "there is no ++", hint: "write += 1"},
		{says: "got newline" + expression, before: "…--", message: "there is no --", hint: "write -= 1"},
		{says: "got '=', want ':'", before: "if …", hint: "compare with =="},
		{says: "got '=', want ':'", before: "elif …", hint: "compare with =="},
		{says: "got '=', want newline", hint: "set one name in a line; compare with =="},
		{says: "… does not associate with … (use parens)", hint: "write a == b and b == c, or put one of them in parentheses"},
		{says: "conditional expression without else clause", hint: "write a if condition else None"},
		{says: "invalid escape sequence …", hint: `write \\ for a backslash, or r"..."`},
		{says: "obsolete form of octal literal; use …", hint: "write $1"},
	}
}

func layoutAdvices() []advice {
	return []advice{
		{says: "got newline, want ':'", hint: "end the line with a colon"},
		{says: "got '{', want ':'", hint: "write a colon, and indent the lines below"},
		{says: "got if, want ':'", before: "else …", hint: "write elif"},
		{says: "got identifier, want ':'", before: "if …", hint: "end the condition with a colon"},
		{says: "got ':', want newline", hint: "names have no types: leave it out"},
		{says: "got ':', want ')'", before: "def …", hint: "parameters have no types: leave it out"},
		{says: "got '-', want ':'", before: "def …", hint: "functions have no result type: leave it out"},
		{says: "got ',', want ':'", hint: "a dict has keys: {key: value}; a set is written set([a, b])"},
		{says: "got '}', want ':'", hint: "a dict has keys: {key: value}; a set is written set([a, b])"},
		{says: "got …, want indent", hint: "indent the lines that belong to the line above by four spaces"},
		{says: "got indent, want …", hint: "start the line in the column of the line above"},
		{says: "unindent does not match any outer indentation level",
			hint: "start the line in the column of one that it goes on from"},
		{says: "got end of file, want '…'", hint: "something is not closed: look for its $1"},
		{says: "got …, want ']'", hint: "put a comma before it, or close the list"},
		{says: "got …, want '}'", hint: "put a comma before it, or close the dict"},
		{says: "got …, want '…', for, or if", hint: "put a comma before it, or close the list"},
		{says: "got …, want ')'", hint: "put a comma before it, or close the parenthesis"},
		{says: "got …, want ','", hint: "put a comma before it, or close the parenthesis"},
		{says: "unexpected newline in string", hint: `end it with its quote; text of several lines stands in """`},
		{says: "unexpected EOF in string", hint: "end it with its quote"},
		{says: "unexpected input character …", hint: "put text in quotes"},
	}
}

func valueAdvices() []advice {
	return []advice{
		{says: "floored division by zero", message: "division by zero", hint: "look at the divisor first"},
		{says: "floating-point division by zero", message: "division by zero", hint: "look at the divisor first"},
		{says: "unknown binary op: NoneType …", hint: `it is None: give a default, as in ctx.get(path, "")`},
		{says: "unknown binary op: … NoneType", hint: `it is None: give a default, as in ctx.get(path, "")`},
		{says: "unhandled index operation NoneType[…]", hint: "it is None: give a default, as in ctx.get(path, {})"},
		{says: "unhandled index operation builtin_function_or_method[…]", hint: "it is a function: call it with parentheses"},
		{says: "unhandled index operation ctx[…]", hint: "ask for a key with ctx.get(path)"},
		{says: "int: cannot convert NoneType to int", hint: "it is None: give a default, as in ctx.env(name, \"0\")"},
		{says: "float got NoneType, want number or string", hint: "it is None: give a default, as in ctx.env(name, \"0\")"},
		{says: "unknown binary op: string + …", hint: "make it a string: str(x)"},
		{says: "unknown binary op: … + string", hint: "make it a string: str(x)"},
		{says: "unknown binary op: list + …", hint: "make it a list: list(x) or [x]"},
		{says: "unknown binary op: dict + dict", hint: "write a | b"},
		{says: "unknown binary op: set + set", hint: "write a | b"},
		{says: "… frozen list", hint: "what the top level of a file has set does not change: change a copy, list(x)"},
		{says: "… frozen hash table", hint: "what the top level of a file has set does not change: change a copy, dict(x) or set(x)"},
		{says: "… list during iteration", hint: "loop over a copy: for x in list(xs):"},
		{says: "… hash table during iteration", hint: "loop over a copy: for key in list(d):"},
		{says: "not enough arguments for format string", hint: `give as many values as there are %: "%s %s" % (a, b)`},
		{says: "too many arguments for format string", hint: `give as many values as there are %: "%s %s" % (a, b)`},
		{says: "%… format requires …", hint: "%s takes every value"},
		{says: "unknown conversion %…", hint: "there are %s %r %d %x %o %e %f %g %c; write %% for a percent sign"},
		{says: "incomplete format", hint: "write %% for a percent sign"},
		{says: "format: tuple index out of range", hint: "give as many values as there are {}"},
		{says: "format: keyword … not found", hint: "give it: .format($1=value)"},
		{says: "format: single '}' in format", hint: "write }} for a brace"},
		{says: "format: unmatched '{' in format", hint: "write {{ for a brace"},
		{says: "key … not in dict", hint: "give a default: x.get($1, default)"},
		{says: "index … out of range: …", hint: "look at len(x) first"},
		{says: "… index … out of range…", hint: "look at len(x) first"},
		{says: "NoneType value is not iterable", hint: "it is None: give a default, as in ctx.get(path, [])"},
		{says: "string value is not iterable", hint: "loop over its characters with x.elems(), its lines with x.splitlines()"},
		{says: "int value is not iterable", hint: "count with range(x)"},
		{says: "unhashable type: list", hint: "make it a tuple: tuple(x)"},
		{says: "string value does not support item assignment", hint: "a string does not change: make a new one, as with x.replace(a, b)"},
		{says: "tuple value does not support item assignment", hint: "a tuple does not change: make it a list, list(x)"},
		{says: "invalid call of non-function (…)", hint: "leave out the parentheses, or see where the name is set"},
		{says: "can't assign to … field of ctx", hint: "write ctx.set(path, value)"},
		{says: "can't assign to .… field of dict", hint: `write x["$1"] = value`},
		{says: "can't assign to … field of …", hint: "it does not change: make a new one"},
		{says: "…: int < string not implemented", hint: "compare values of one type"},
		{says: "…: string < int not implemented", hint: "compare values of one type"},
		{says: "int: invalid literal with base …", hint: "it is no whole number: look with x.isdigit() first"},
	}
}

func attributeAdvices() []advice {
	return []advice{
		{says: "NoneType has no …", message: "None has no $1", hint: "it is None: see whether it is there first, if x != None"},
		{says: "list has no .push field…", message: "a list has no .push", hint: "write x.append(y)"},
		{says: "list has no .length field…", message: "a list has no .length", hint: "write len(x)"},
		{says: "string has no .length field…", message: "a string has no .length", hint: "write len(x)"},
		{says: "dict has no .has field…", message: "a dict has no .has", hint: "write key in x"},
		{says: "… has no .… field or method (did you mean .…?)", message: "$1 has no .$2", hint: "did you mean .$3?"},
		{says: "…struct has no .… attribute (did you mean .…?)", message: "$1struct has no .$2", hint: "did you mean .$3?"},
		{says: "dict has no .… field or method", message: "a dict has no .$1", hint: `write x["$1"] or x.get("$1")`},
		{says: "… has no .… field or method", message: "$1 has no .$2", hint: "dir(x) tells what it has"},
	}
}
