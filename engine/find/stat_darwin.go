package find

import "syscall"

// changedNano returns when an inode was last changed, in nanoseconds.
func changedNano(st *syscall.Stat_t) int64 { return st.Ctimespec.Nano() }
