package find

import (
	"strconv"
	"syscall"
)

// A Stamp tells one state of a file or directory from another without reading
// it. The time is that of the inode's change, which no program can set back.
// The zero Stamp is that of what is not there.
type Stamp struct {
	Changed       int64 // in nanoseconds
	Size          int64
	Device, Inode uint64
}

// stampFields is how many numbers String writes.
const stampFields = 4

// String returns the stamp as numbers with blanks between them.
func (s Stamp) String() string {
	b := strconv.AppendInt(make([]byte, 0, 64), s.Changed, 10)
	b = strconv.AppendInt(append(b, ' '), s.Size, 10)
	b = strconv.AppendUint(append(b, ' '), s.Device, 10)
	b = strconv.AppendUint(append(b, ' '), s.Inode, 10)
	return string(b)
}

// Stamp returns the stamp of an entity's configuration.
func (l *Library) Stamp(e *Entity) Stamp { return stampAt(e.Dir + "/" + ConfigFile) }

func stampAt(path string) Stamp {
	var st syscall.Stat_t
	if err := retry(func() error { return syscall.Stat(path, &st) }); err != nil {
		return Stamp{}
	}
	return stampOf(&st)
}

func stampOf(st *syscall.Stat_t) Stamp {
	return Stamp{Changed: changedNano(st), Size: st.Size, Device: uint64(st.Dev), Inode: st.Ino}
}
