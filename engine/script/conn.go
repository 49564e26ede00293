package script

import (
	"encoding/binary"
	"errors"
	"syscall"
	"unsafe"
)

// errGone says that the other process is gone, for whatever reason.
var errGone = errors.New("the other process is gone")

// A conn carries messages over a socket. It blocks a thread while it waits:
// the fastest way, as the two sides take turns.
type conn struct {
	fd int
	// stops says that the process may stop while it waits: the child has nothing
	// else to do, and the runtime need not look after its thread.
	stops   bool
	files   fileTable
	in, out []byte // kept for the next message
}

// keepBuffer is the size up to which a buffer is kept for the next message.
const keepBuffer = 64 << 10

// send writes a message at once. An error of encode leaves the stream as it
// was; any other ends it.
func (c *conn) send(m *msg, limit int) error {
	buf, err := encode(c.out[:0], m, &c.files, limit)
	if err != nil {
		return err
	}
	c.out = nil
	if cap(buf) <= keepBuffer {
		c.out = buf
	}
	for len(buf) > 0 {
		n, err := retry(func() (int, error) { return syscall.Write(c.fd, buf) })
		if err != nil {
			return errGone
		}
		buf = buf[n:]
	}
	return nil
}

// receive waits for a message. The error is errGone if the other side is gone.
func (c *conn) receive(limit int, news bool) (*msg, error) {
	if c.in == nil {
		c.in = make([]byte, 4<<10)
	}
	buf := c.in
	have, err := c.readAtLeast(buf, headerSize)
	if err != nil {
		return nil, err
	}
	size := int(binary.LittleEndian.Uint32(buf))
	if size > limit || have > headerSize+size {
		return nil, errWire
	}
	if headerSize+size > len(buf) {
		buf = append(make([]byte, 0, headerSize+size), buf[:have]...)[:headerSize+size]
	}
	if _, err := c.readAtLeast(buf[have:headerSize+size], headerSize+size-have); err != nil {
		return nil, err
	}
	if len(buf) <= keepBuffer {
		c.in = buf
	}
	return decode(buf[headerSize:headerSize+size], &c.files, news)
}

// readAtLeast reads so many bytes, and what else has come that finds room.
func (c *conn) readAtLeast(buf []byte, atLeast int) (int, error) {
	have := 0
	for have < atLeast {
		n, err := retry(func() (int, error) { return c.read(buf[have:]) })
		if n <= 0 || err != nil {
			return have, errGone
		}
		have += n
	}
	return have, nil
}

func (c *conn) read(buf []byte) (int, error) {
	if !c.stops || len(buf) == 0 {
		return syscall.Read(c.fd, buf)
	}
	n, _, errno := syscall.RawSyscall(syscall.SYS_READ, uintptr(c.fd), uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)))
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// retry repeats a system call that a signal interrupted.
func retry(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != syscall.EINTR {
			return n, err
		}
	}
}
