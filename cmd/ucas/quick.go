package main

import (
	"reflect"
	"slices"
	"strings"
)

// quick reads the plain command lines of run without kong's grammar, which
// costs a third of what a whole dry-run does. It knows the options from the
// same struct that kong reads, and leaves to kong whatever is not plain: help,
// mistakes, other commands. It returns nil then.
func quick(args []string) *call {
	c := &runCmd{}
	q := &call{command: c}
	options := optionsOf(&q.global)
	command := false
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case strings.HasPrefix(arg, "-"):
			rest, ok := setOption(options, arg, args)
			if !ok {
				return nil
			}
			args = rest
		case !command:
			if arg != "run" {
				return nil
			}
			command = true
			options = append(options, optionsOf(c)...)
		case c.Agent == "" && arg != "":
			c.Agent = arg
		case isMod(arg):
			c.Mods = append(c.Mods, arg)
		default:
			return nil
		}
	}
	if c.Agent == "" {
		return nil
	}
	return q
}

// isMod reports whether an argument names a mod.
func isMod(arg string) bool { return strings.HasPrefix(arg, "+") }

// modsLast moves the mods behind everything else: kong takes positional
// arguments in one piece only, and people write options between them.
func modsLast(args []string) []string {
	options := allOptions()
	var front, mods []string
	for i, arg := range args {
		if isMod(arg) && (i == 0 || !takesValue(options, args[i-1])) {
			mods = append(mods, arg)
		} else {
			front = append(front, arg)
		}
	}
	return append(front, mods...)
}

// takesValue reports whether an argument is an option whose value is the next
// argument.
func takesValue(options []option, arg string) bool {
	for _, o := range options {
		if (arg == o.long || arg == o.short) && o.field.Kind() != reflect.Bool {
			return true
		}
	}
	return false
}

// An option is a field that a struct tag makes an option.
type option struct {
	long, short string
	field       reflect.Value
}

// optionsOf returns the options among the fields of a struct.
func optionsOf(target any) []option {
	v := reflect.ValueOf(target).Elem()
	var options []option
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if _, positional := f.Tag.Lookup("arg"); positional || f.Tag.Get("kong") == "-" {
			continue
		}
		name := f.Tag.Get("name")
		if name == "" {
			name = kebab(f.Name)
		}
		options = append(options, option{"--" + name, "-" + f.Tag.Get("short"), v.Field(i)})
	}
	return options
}

// allOptions returns those options of all commands that can stand between mods.
func allOptions() []option {
	return slices.Concat(optionsOf(&global{}), optionsOf(&runCmd{}), optionsOf(&evalCmd{}))
}

// kebab returns the name that kong gives the option of a field: dry-run for
// DryRun.
func kebab(field string) string {
	var b strings.Builder
	for i, r := range field {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte('-')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}

// withoutValue returns the first option that is given an empty value, "" if
// none is: an unset variable of a script, more often than not.
func withoutValue(args []string) string {
	options := allOptions()
	for i, arg := range args {
		if name, value, ok := strings.Cut(arg, "="); ok && value == "" && takesValue(options, name) {
			return name
		}
		if takesValue(options, arg) && i+1 < len(args) && args[i+1] == "" {
			return arg
		}
	}
	return ""
}

// setOption takes up an option, and its value from the arguments that follow,
// of which it returns the rest.
func setOption(options []option, arg string, rest []string) ([]string, bool) {
	name, value, assigned := strings.Cut(arg, "=")
	for _, o := range options {
		if name != o.long && (name != o.short || name == "-" || assigned) {
			continue
		}
		if o.field.Kind() == reflect.Bool {
			o.field.SetBool(true)
			return rest, !assigned
		}
		if !assigned {
			if len(rest) == 0 || rest[0] == "" || rest[0][0] == '-' {
				return nil, false
			}
			value, rest = rest[0], rest[1:]
		}
		if o.field.Kind() == reflect.Slice {
			o.field.Set(reflect.Append(o.field, reflect.ValueOf(value)))
		} else {
			o.field.SetString(value)
		}
		return rest, value != ""
	}
	return nil, false
}
