package plan

// isVarName reports whether a shell can set a variable of that name.
func isVarName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// isShellsOwn reports whether a variable is one that shells set themselves or
// refuse to set: what it is given does not reach the launched command.
func isShellsOwn(name string) bool {
	switch name {
	case "_", "PWD", "OLDPWD", "SHLVL", "PPID", "UID", "EUID", "GID", "EGID", "IFS", "OPTIND", "LINENO",
		"RANDOM", "SRANDOM", "SECONDS", "HISTCMD", "FUNCNAME", "GROUPS", "DIRSTACK", "BASHOPTS",
		"SHELLOPTS", "BASH_VERSINFO", "BASHPID", "EPOCHSECONDS", "EPOCHREALTIME", "PIPESTATUS", "ucas_nl", "ucas_v":
		return true
	}
	return false
}

// isShellBuiltin reports whether a shell takes a name for a command of its
// own: those of POSIX, and those that dash, bash, ksh and zsh add.
func isShellBuiltin(name string) bool {
	switch name {
	case ".", ":", "[", "alias", "autoload", "bg", "bind", "break", "builtin", "caller", "cd", "chdir",
		"command", "compgen", "complete", "compopt", "continue", "declare", "dirs", "disown", "echo",
		"enable", "eval", "exec", "exit", "export", "false", "fc", "fg", "getopts", "hash", "help",
		"history", "jobs", "kill", "let", "local", "logout", "mapfile", "newgrp", "popd", "print",
		"printf", "pushd", "pwd", "read", "readarray", "readonly", "return", "set", "shift", "shopt",
		"source", "stop", "suspend", "test", "times", "trap", "true", "type", "typeset", "ulimit",
		"umask", "unalias", "unset", "wait", "whence":
		return true
	}
	return false
}
