//go:build !race

package script

// shadowMemory says that the runtime needs several times the memory that it
// uses, so that RLIMIT_DATA would stop it at once.
const shadowMemory = false
