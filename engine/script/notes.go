package script

import (
	"encoding/binary"
	"os"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// The notes are a file without a name that both processes have open: what the
// child was doing stays readable after its death, and nobody has to listen to it
// before. It starts with a few words that the child has mapped:
//
//	0  the place of the running frame: the file's number << 32, and the line
//	8  why the child ended itself, a reason
//
// After them comes what the child wrote to stdout and stderr, such as the last
// words of the Go runtime.
const (
	notesHeader = 64
	notesText   = 16 << 10 // as much of the text is read
)

// A reason says why a child ended itself.
type reason uint64

const (
	noReason reason = iota
	outOfMemory
	badMessage
)

// newNotes returns an empty file of notes, its offset behind the header.
func newNotes() (*os.File, error) {
	f, err := anonymousFile()
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(make([]byte, notesHeader)); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// lastNotes is what a child left behind.
type lastNotes struct {
	file   uint64
	line   int
	reason reason
	text   string
}

func readNotes(f *os.File) lastNotes {
	buf := make([]byte, notesHeader+notesText)
	n, _ := f.ReadAt(buf, 0) // the end of the file is no error here
	if n < notesHeader {
		return lastNotes{}
	}
	place := binary.NativeEndian.Uint64(buf)
	return lastNotes{
		file:   place >> 32,
		line:   int(uint32(place)),
		reason: reason(binary.NativeEndian.Uint64(buf[8:])),
		text:   string(buf[notesHeader:n]),
	}
}

// A notebook is how the child writes its notes.
type notebook struct {
	place, reason *uint64
}

// openNotebook maps the notes, which are stderr. Without them, a child works
// all the same.
func openNotebook() notebook {
	mem, err := syscall.Mmap(syscall.Stderr, 0, notesHeader, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		mem = make([]byte, notesHeader)
	}
	return notebook{
		place:  (*uint64)(unsafe.Pointer(&mem[0])),
		reason: (*uint64)(unsafe.Pointer(&mem[8])),
	}
}

// at notes where the running frame is; 0, 0 is nowhere.
func (n notebook) at(file, line int) {
	atomic.StoreUint64(n.place, uint64(file)<<32|uint64(uint32(line)))
}

// die ends the process at once, also where the runtime has no more memory.
func (n notebook) die(why reason) {
	atomic.StoreUint64(n.reason, uint64(why))
	syscall.Exit(1)
}
