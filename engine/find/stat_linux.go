package find

import "syscall"

// changedNano returns when a file was last changed, in nanoseconds.
func changedNano(st *syscall.Stat_t) int64 { return st.Mtim.Nano() }
