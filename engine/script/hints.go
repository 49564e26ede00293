package script

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ucas/engine/diag"
	"ucas/engine/source"

	"go.starlark.net/starlark"
)

// advised returns a problem in our words, with a hint.
func advised(at source.Span, text string) *diag.Problem {
	text = named(text)
	if name, _, ok := cutAround(text, "ctx has no .", " field or method"); ok {
		return unknownAttribute(at, name)
	}
	if name, module, ok := cutAround(text, "load: name ", " not found in module "+libraryPrefix); ok {
		return notInLibrary(at, name, module)
	}
	if a, said, ok := firstAdvice(at, text); ok {
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

// firstAdvice returns the advice that fits a text at its place, and what the
// text said.
func firstAdvice(at source.Span, text string) (a advice, said []string, ok bool) {
	before, after := around(at)
	for _, a := range advices() {
		said, ok := match(a.says, text)
		if ok && suits(a.before, before) && suits(a.after, after) {
			return a, said, true
		}
	}
	return advice{}, nil, false
}

// suits reports whether a text fits a pattern; no pattern fits all.
func suits(pattern, text string) bool {
	_, ok := match(pattern, text)
	return ok || pattern == ""
}

// around returns what stands in the line before and after a place, without
// the indentation, and with the end of the line.
func around(at source.Span) (before, after string) {
	if at.File == nil {
		return "", ""
	}
	text := string(at.File.Text)
	before = text[strings.LastIndexAny(text[:at.Start], "\r\n")+1 : at.Start]
	after, _, _ = strings.Cut(text[at.End:], "\n")
	return strings.TrimLeft(before, "\uFEFF \t"), strings.TrimSpace(after) + "\n"
}

// named returns a text that names a character that cannot be seen as Unicode
// does.
func named(text string) string {
	if quoted, ok := strings.CutPrefix(text, "unexpected input character '\\"); ok {
		if c, _, _, err := strconv.UnquoteChar("\\"+quoted, '\''); err == nil {
			return fmt.Sprintf("unexpected character %U", c)
		}
	}
	return text
}

func inOurWords(text string) string {
	return strings.NewReplacer("want primary expression", "want an expression", "want identifier", "want a name").Replace(text)
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
	// before and after are the line up to the place and behind it, for a text
	// that means several things, see around.
	before, after string
	// message is what we say instead, if anything.
	message string
	hint    string
}

// advices returns all advice; the first that fits counts.
func advices() []advice {
	return slices.Concat(undefinedAdvices(), nameAdvices(), syntaxAdvices(), noneAdvices(), valueAdvices(), attributeAdvices())
}

// undefinedAdvices is for names that other languages have, and for those that
// the library has.
func undefinedAdvices() []advice {
	var all []advice
	add := func(names, hint string) {
		for _, name := range strings.Fields(names) {
			all = append(all, advice{says: "undefined: " + name, hint: hint})
		}
	}
	add("true TRUE yes on", "write True")
	add("false FALSE no off", "write False")
	add("null nil none undefined NULL", "write None")
	add("ctx", "ctx is the parameter of a hook: use it in def configure(ctx):")
	add("os", "read variables with ctx.env(name), find programs with ctx.which(name)")
	add("sys", "a hook reaches the outside through ctx only")
	add("open", "read files with ctx.read(path)")
	add("isinstance", `compare the type's name: type(x) == "string"`)
	add("map", "write a comprehension: [f(x) for x in xs]")
	add("filter", "write a comprehension: [x for x in xs if f(x)]")
	add("sum", "add up in a loop: for x in xs: total += x")
	add("round", "write math.round(x)")
	add("pow", "write math.pow(x, y)")
	add("format", `write "{}".format(x) or "%s" % x`)
	add("exit quit", "leave a function with return, refuse to go on with fail(text); Ctrl-D ends ucas eval")
	add("help", "print(dir(x)) shows what x has")
	add("re", "there are no regular expressions: use x.split(y), x.startswith(y), y in x")
	add("datetime time random", "do without: a hook has no clock and no random numbers")
	add("subprocess", "a hook runs no programs: find one with ctx.which(name), run it from wrap or command")
	add("yaml toml", "read JSON instead: json.decode(ctx.read(path))")
	add("requests urllib", "do without: a hook has no network")
	add("input", "a hook cannot ask: read ctx.env(name) or ctx.get(path)")
	for _, name := range []string{"env", "models", "path", "semver", "shell", "wrappers"} {
		add(name, fmt.Sprintf("load it first: load(\"%s%s.star\", %q)", libraryPrefix, name, name))
	}
	return all
}

func nameAdvices() []advice {
	return []advice{
		{says: "undefined: … (did you mean …?)", message: "undefined: $1", hint: "did you mean $2?"},
		{says: "cannot reassign … declared at …", message: "cannot set $1 again",
			hint: "a name at the top level is set once: take another name, or work in a function"},
		{says: "local variable … referenced before assignment",
			hint: "set it in this function first: one of the top level cannot be changed here"},
		{says: "global variable … referenced before assignment", hint: "set it further up in the file"},
		{says: "load: name … not found in module … (did you mean …?)",
			message: "load: $2 has no $1", hint: "did you mean $3?"},
		{says: "load: name … not found in module …", message: "load: $2 has no $1", hint: "look into $2 for what it defines"},
		{says: "load: …no file …@ucas/….star…", hint: "write two slashes: @ucas//$3.star"},
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
		{says: "got else" + expression, hint: "align it with its if; a loop has no else"},
		{says: "got elif" + expression, hint: "align it with its if"},
		{says: "got load" + expression, message: "load has no value", hint: `write load("FILE.star", "NAME") on a line of its own`},
		{says: "got load, want identifier", before: "….", message: "load is a word of the language, no method",
			hint: `write json.decode(ctx.read("x.json")); there is no other format`},
		{says: "got …, want identifier", before: "def ", hint: "write def NAME(ctx):"},
		{says: "got ':', want identifier", before: "def …", hint: "close the parenthesis before the colon"},
		{says: "got …, want identifier", before: "….", hint: "write a name behind the dot; $1 is none"},
		{says: "got …, want newline", before: "match …", message: "there is no match", hint: "write if x == a: and elif x == b:"},
		{says: "got …, want newline", before: "switch …", message: "there is no switch", hint: "write if x == a: and elif x == b:"},
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
		{says: "got identifier, want …", before: "…'", hint: `put the text in double quotes, or write \' in it`},
		{says: "got identifier, want …", before: "…\"", hint: `put the text in single quotes, or write \" in it`},
		{says: "got digits with letters, want …", hint: "write a number without _ and units; put text in quotes"},
		{says: "got for, want …", message: "there are no generators", hint: "use brackets: any([f(x) for x in xs])"},
		{says: "got ':', want …", after: "=…", message: "there is no :=", hint: "set it on a line of its own: m = x"},
		{says: "got '='" + expression, before: "…:", message: "there is no :=", hint: "set it on a line of its own: m = x"},
		{says: "got '&'" + expression, before: "…&", message: "there is no &&", hint: "write and"},
		{says: "got '|'" + expression, before: "…|", message: "there is no ||", hint: "write or"},
		{says: "unexpected input character '!'", message: "there is no !", hint: "write not x; unequal is !="},
		{says: "unexpected input character '?'", message: "there is no ?", hint: "write a if condition else b"},
		{says: "unexpected input character '@'", message: "there are no decorators", hint: "leave the line out"},
		{says: "unexpected character …", hint: "remove it, or write a space: it cannot be seen"},
		{says: "unexpected input character '–'", hint: "write a minus sign: -"},
		{says: "unexpected input character '“'", hint: `use straight quotes: "`},
		{says: "unexpected input character '”'", hint: `use straight quotes: "`},
		{says: "unexpected input character '‘'", hint: "use straight quotes: '"},
		{says: "unexpected input character '’'", hint: "use straight quotes: '"},
		{says: "unexpected input character '`'", hint: `use straight quotes: "`},
		{says: "got is, want …", message: "there is no is", hint: "write == or !="},
		{says: "got '**'" + expression, hint: "join dicts with |: a | b"},
		{says: "got '*'" + expression, hint: `join lists with +: ["nice"] + argv`},
		{says: "got '**', want …", message: "there is no **", hint: "write math.pow(x, y)"},
		{says: "got newline" + expression, before: "…++", message: "there is no ++", hint: "write += 1"},
		{says: "got end of file" + expression, before: "…++", message: "there is no ++", hint: "write += 1"},
		{says: "got newline" + expression, before: "…--", message: "there is no --", hint: "write -= 1"},
		{says: "got '=', want ':'", before: "if …", hint: "compare with =="},
		{says: "got '=', want ':'", before: "elif …", hint: "compare with =="},
		{says: "got '=', want newline", hint: "set one name in a line; compare with =="},
		{says: "… does not associate with … (use parens)", hint: "write a == b and b == c, or put one of them in parentheses"},
		{says: "conditional expression without else clause", hint: "write a if condition else None"},
		{says: "unparenthesized tuple with trailing comma", hint: "leave out the comma at the end, or put parentheses around the values"},
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
		{says: "got ':', want ')'", before: "def …", after: "\n", hint: "close the parenthesis before the colon"},
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

// noneAdvices is for None where another value is wanted: what to write in its
// place depends on that.
func noneAdvices() []advice {
	const absent = "it is None: see whether it is there first, if x != None"
	all := []advice{
		{says: "json.decode: … got NoneType…", hint: "it is None: the file or the variable is not there; look first, if x != None"},
		{says: "ctx.…: … got NoneType…", hint: absent},
		{says: "int: cannot convert NoneType to int", hint: `it is None: give a default, as in ctx.env(name, "0")`},
		{says: "float got NoneType, want …", hint: `it is None: give a default, as in ctx.env(name, "0")`},
		{says: "got NoneType in sequence assignment", hint: absent},
		{says: "NoneType has no …", message: "None has no $1", hint: absent},
	}
	for _, none := range []struct {
		instead, at string
		says        []string
	}{
		{"[]", "ctx.get(path, [])", []string{"… in NoneType", "… not in NoneType", "…: list … NoneType", "…: NoneType … list", "len: … NoneType has no len",
			"NoneType value is not iterable", "… must be iterable, not NoneType", "… NoneType[int]", "invalid slice operand NoneType"}},
		{"{}", "ctx.get(path, {})", []string{"…: dict … NoneType", "…: NoneType … dict", "… NoneType[…]", "dict: got NoneType, want iterable",
			"update: got NoneType, want iterable", "… must be a mapping, not NoneType", "NoneType value does not support item assignment"}},
		{"[]", "ctx.get(path, [])", []string{"…got NoneType, want iterable"}},
		{"0", "ctx.get(path, 0)", []string{"…: int … NoneType", "…: NoneType … int", "…: float … NoneType", "…: NoneType … float",
			"… unary op: … NoneType", "… convert NoneType to int", "…got NoneType, want …int",
			"…int … NoneType not implemented", "…NoneType … int not implemented"}},
		{`""`, `ctx.env(name, "")`, []string{"…: NoneType … string", "…: … NoneType", "…: NoneType … …", "…got NoneType, want string…",
			"… requires string as left operand, not NoneType", "…NoneType … not implemented", "… NoneType not implemented"}},
	} {
		for _, says := range none.says {
			hint := fmt.Sprintf("it is None: write (x or %s), or give a default where it comes from, as in %s", none.instead, none.at)
			all = append(all, advice{says: says, hint: hint})
		}
	}
	return all
}

func valueAdvices() []advice {
	return []advice{
		{says: "floored division by zero", message: "division by zero", hint: "look at the divisor first"},
		{says: "floating-point division by zero", message: "division by zero", hint: "look at the divisor first"},
		{says: "unhandled index operation builtin_function_or_method[…]", hint: "it is a function: call it with parentheses"},
		{says: "unhandled index operation struct[…]", hint: "write x.NAME, or getattr(x, name, default)"},
		{says: "unhandled index operation ctx[…]", hint: "ask for a key with ctx.get(path)"},
		{says: "unknown binary op: string + list", hint: `make the text a list, ["nice"] + argv, or the list a text, " ".join(argv)`},
		{says: "unknown binary op: list + string", hint: `make the text a list, argv + ["x"], or the list a text, " ".join(argv)`},
		{says: "'in <string>' requires …", hint: "make it a string: str(x)"},
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
		{says: "format spec features not supported …", message: "{} takes no width and no precision",
			hint: `write {} alone, and pad with x + " " * (10 - len(x))`},
		{says: "join: in list, want string…", hint: `make them strings: ",".join([str(x) for x in xs])`},
		{says: "struct: unexpected positional arguments", hint: "name its fields: struct(name=value)"},
		{says: "key … not in dict", hint: "give a default: x.get($1, default)"},
		{says: "index … out of range: …", hint: "look at len(x) first"},
		{says: "… index … out of range…", hint: "look at len(x) first"},
		{says: "got … in sequence assignment", before: "…for …", message: "each item is one $1, not several values",
			hint: "loop over d.items() for keys and values, over enumerate(xs) for numbers"},
		{says: "got string in sequence assignment", message: "a string is one value, not several",
			hint: `split it: a, _, b = x.partition("-")`},
		{says: "got … in sequence assignment", message: "$1 is one value, not several", hint: "set one name"},
		{says: "too … values to unpack (got …, want …)", hint: `take as many as there are; x.partition("-") always gives three`},
		{says: "string value is not iterable", hint: "loop over its characters with x.elems(), its lines with x.splitlines()"},
		{says: "int value is not iterable", hint: "count with range(x)"},
		{says: "unhashable type: list", hint: "make it a tuple: tuple(x)"},
		{says: "ctx value does not support item assignment", hint: "write ctx.set(path, value)"},
		{says: "builtin_function_or_method value does not support item assignment", hint: `write ctx.set("env.NAME", value)`},
		{says: "string value does not support item assignment", hint: "a string does not change: make a new one, as with x.replace(a, b)"},
		{says: "tuple value does not support item assignment", hint: "a tuple does not change: make it a list, list(x)"},
		{says: "invalid call of non-function (…)", hint: "leave out the parentheses, or see where the name is set"},
		{says: "can't assign to … field of ctx", hint: "write ctx.set(path, value)"},
		{says: "can't assign to .… field of dict", hint: `write x["$1"] = value`},
		{says: "can't assign to … field of …", hint: "it does not change: make a new one"},
		{says: "…: … not implemented", hint: "compare values of one type"},
		{says: "string … int not implemented", hint: "make the text a number: int(x)"},
		{says: "int … string not implemented", hint: "make the text a number: int(x)"},
		{says: "… not implemented", hint: "compare values of one type"},
		{says: "int: invalid literal with base …", hint: "it is no whole number: look with x.isdigit() first"},
	}
}

func attributeAdvices() []advice {
	var all []advice
	// Methods of other languages.
	for _, m := range []struct{ of, names, hint string }{
		{"list", "push add", "write x.append(y)"},
		{"list", "length len size", "write len(x)"},
		{"list", "contains includes has", "write y in x"},
		{"list", "sort sorted", "write sorted(x)"},
		{"list", "reverse", "write reversed(x)"},
		{"list", "copy", "write list(x)"},
		{"list", "join", `write ",".join(x)`},
		{"string", "length len size", "write len(x)"},
		{"string", "contains includes", "write y in x"},
		{"string", "encode decode", "leave it out: a string is its bytes"},
		{"string", "trim", "write x.strip()"},
		{"string", "toLowerCase", "write x.lower()"},
		{"dict", "has has_key contains", "write key in x"},
		{"dict", "copy", "write dict(x)"},
	} {
		for _, name := range strings.Fields(m.names) {
			all = append(all, advice{says: m.of + " has no ." + name + " field…", message: "a " + m.of + " has no ." + name, hint: m.hint})
		}
	}
	return append(all, []advice{
		{says: "module has no .load… field…", message: "json has no .load$1", hint: "write json.decode(text)"},
		{says: "module has no .parse field…", message: "json has no .parse", hint: "write json.decode(text)"},
		{says: "module has no .dump… field…", message: "json has no .dump$1", hint: "write json.encode(x)"},
		{says: "module has no .stringify field…", message: "json has no .stringify", hint: "write json.encode(x)"},
		{says: "builtin_function_or_method has no .… field…", message: "a function has no .$1", hint: `call it, as in ctx.env("NAME")`},
		{says: "struct has no .get attribute…", message: "a struct has no .get", hint: "write x.NAME, or getattr(x, name, default)"},
		{says: "struct has no .prompt attribute…", message: "struct has no .prompt", hint: "did you mean .prompt_file or .prompt_text?"},
		{says: "… has no .… field or method (did you mean .…?)", message: "$1 has no .$2", hint: "did you mean .$3?"},
		{says: "…struct has no .… attribute (did you mean .…?)", message: "$1struct has no .$2", hint: "did you mean .$3?"},
		{says: "…struct has no .… attribute", message: "$1struct has no .$2", hint: "dir(x) tells what it has"},
		{says: "dict has no .… field or method", message: "a dict has no .$1", hint: `write x["$1"] or x.get("$1")`},
		{says: "… has no .… field or method", message: "$1 has no .$2", hint: "dir(x) tells what it has"},
	}...)
}
