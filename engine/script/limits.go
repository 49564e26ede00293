package script

import (
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"sync/atomic"
	"syscall"
	"time"
)

// The limits of the child process, besides those of the package.
const (
	// maxStack is the largest stack of a goroutine. The interpreter needs 2 KiB
	// for a level of brackets when it parses, and 300 bytes for one of a value
	// that it prints.
	maxStack = 32 << 20
	// maxCPU is in seconds, of all threads: the collector's count too. It ends
	// a child whose parent died; while that lives, MaxTime is over before.
	maxCPU = 4
	// maxOutput is of the notes: more than the last words of a Go program.
	maxOutput = 256 << 10
	// maxFiles has room for the socket, the notes and what the Go runtime opens
	// for its timers.
	maxFiles = 8
	// collectFrom is the heap from which on garbage is collected: a hook that
	// stays below, as nearly all do, is faster without. No memory limit of the
	// runtime comes on top: near it, hooks that fail anyway fail slowly.
	collectFrom = MaxMemory / 8
)

// systemLimitsMemory says that the system stops a child that wants too much
// memory. Elsewhere the watchdog does.
const systemLimitsMemory = runtime.GOOS == "linux" && !shadowMemory

// maxProcs is how many threads run Go code. One starts faster, and RLIMIT_CPU
// counts as the clock does; a watchdog needs another beside that of the hook.
func maxProcs() int {
	if systemLimitsMemory {
		return 1
	}
	return 2
}

// environment returns the variables of the child: settings of the Go runtime,
// which cost nothing at its start, and no variable of ours.
func environment() []string {
	return []string{
		"GOTRACEBACK=none",
		"GOGC=off",
		"GOMAXPROCS=" + strconv.Itoa(maxProcs()),
	}
}

// limitSelf limits the child before it reads its first byte. A limit that the
// system refuses leaves the others, and the parent's.
func limitSelf() {
	setLimit(syscall.RLIMIT_CORE, 0)
	setLimit(syscall.RLIMIT_CPU, maxCPU)
	setLimit(syscall.RLIMIT_FSIZE, maxOutput)
	setLimit(syscall.RLIMIT_NOFILE, maxFiles)
	if systemLimitsMemory {
		limitMemory()
	}
	debug.SetMaxStack(maxStack)
}

// limitMemory uses two limits. RLIMIT_DATA lets one large allocation pass, since
// the runtime reserves its addresses first; that is what RLIMIT_AS stops. The
// runtime reserves more than MaxMemory at its start, which does not count.
func limitMemory() {
	setLimit(syscall.RLIMIT_DATA, MaxMemory)
	if size := addressSpace(); size > 0 {
		setLimit(syscall.RLIMIT_AS, size+MaxMemory)
	}
}

// addressSpace returns how many bytes of addresses the process has reserved, or
// 0 if the system does not tell.
func addressSpace() uint64 {
	// Not with package os, which would set up its poller for it.
	fd, err := syscall.Open("/proc/self/statm", syscall.O_RDONLY, 0)
	if err != nil {
		return 0
	}
	defer syscall.Close(fd)
	statm := make([]byte, 64)
	read, _ := syscall.Read(fd, statm)
	pages, _, _ := strings.Cut(string(statm[:max(0, read)]), " ")
	n, _ := strconv.ParseUint(pages, 10, 64)
	return n * uint64(os.Getpagesize())
}

func setLimit(resource int, limit uint64) {
	var l syscall.Rlimit
	if syscall.Getrlimit(resource, &l) == nil {
		l.Max = lower(l.Max, limit)
		l.Cur = l.Max
		syscall.Setrlimit(resource, &l)
	}
}

// lower returns a limit that is no higher than the present one, whose type
// depends on the system.
func lower[T int64 | uint64](now T, limit uint64) T { return min(now, T(limit)) }

// A watchdog ends the process when a request makes it use more memory than
// MaxMemory, where the system itself does not. It also starts the usual
// collection of garbage. It wakes up only for requests that
// take long.
type watchdog struct {
	notes    notebook
	timer    *time.Timer
	busy     atomic.Bool
	collects atomic.Bool
}

const (
	watchFrom  = 4 * time.Millisecond // most requests end before
	watchEvery = 2 * time.Millisecond
)

func newWatchdog(notes notebook) *watchdog {
	w := &watchdog{notes: notes}
	w.timer = time.AfterFunc(MaxTime, w.look)
	w.timer.Stop()
	return w
}

func (w *watchdog) begin() {
	w.busy.Store(true)
	w.timer.Reset(watchFrom)
}

func (w *watchdog) end() {
	w.busy.Store(false)
	w.timer.Stop()
}

func (w *watchdog) look() {
	if !w.busy.Load() {
		return
	}
	used := memoryInUse()
	if used > MaxMemory {
		w.notes.die(outOfMemory)
	}
	if used > collectFrom && w.collects.CompareAndSwap(false, true) {
		debug.SetGCPercent(100)
	}
	w.timer.Reset(watchEvery)
}

// memoryInUse returns how much memory the runtime has from the system. (The
// package runtime/metrics tells it for less, but makes every start slower.)
func memoryInUse() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys - m.HeapReleased
}
