package snap

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/zoctree/zoctree/internal/mem"
)

// File is an open snapshot file whose head has been validated. It may be used by any number of
// goroutines.
type File struct {
	Kind  uint32
	Minor uint16
	Bytes int64 // size of the file

	Path string       // of a mapped file
	End  func() error // unmaps the file; nil: not mapped, or no longer

	sections []entry
	numbers  map[key]int
	sums     []byte
	own      uint64      // sums of the head
	all      []byte      // contents of the file, or nil
	from     io.ReaderAt // reader, if all is nil

	lock sync.Mutex // guards have
	have []have     // by section
}

// have is the part of a section that has been read.
type have struct {
	raw  []byte // bytes in the order of files; nil: not read yet
	rows []byte // rows in the order of memory; nil: not converted yet
	sums bool   // its sums have been verified
}

// FromBytes opens a file that is in memory or memory-mapped. It reads only the head.
func FromBytes(b []byte) (*File, error) {
	h, err := parseHeader(b[:min(len(b), fixed)])
	if err != nil {
		return nil, err
	}
	if h.bytes != int64(len(b)) {
		return nil, damaged("%d bytes of a file of %d", len(b), h.bytes)
	}
	f, err := newFile(&h, b[:h.head])
	if err == nil {
		f.all = b
	}
	return f, err
}

func newFile(h *header, head []byte) (*File, error) {
	sections, numbers, sums, err := parseTables(h, head)
	if err != nil {
		return nil, err
	}
	return &File{Kind: h.kind, Minor: h.minor, Bytes: h.bytes, sections: sections, numbers: numbers, sums: sums, own: HeadSums(head), have: make([]have, len(sections))}, nil
}

// Open opens a file of size bytes. It reads the head; sections are read on demand.
func Open(r io.ReaderAt, size int64) (*File, error) {
	var first [fixed]byte
	if _, err := r.ReadAt(first[:max(min(size, fixed), 0)], 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	h, err := parseHeader(first[:max(min(size, fixed), 0)])
	if err != nil {
		return nil, err
	}
	if h.bytes != size {
		return nil, damaged("%d bytes of a file of %d", size, h.bytes)
	}
	head, err := readAt(r, 0, h.head)
	if err != nil {
		return nil, err
	}
	f, err := newFile(&h, head)
	if err == nil {
		f.from = r
	}
	return f, err
}

// readAt reads bytes that are within the known size of the file.
func readAt(r io.ReaderAt, offset, bytes int64) ([]byte, error) {
	if int64(int(bytes)) != bytes {
		return nil, fmt.Errorf("snap: %d bytes are more than this machine can address", bytes)
	}
	b := mem.Make[byte](int(bytes))
	if n, err := r.ReadAt(b, offset); n < len(b) {
		if err == nil || errors.Is(err, io.EOF) {
			err = damaged("it ends %d bytes behind byte %d, %d were to follow", n, offset, bytes)
		}
		return nil, err
	}
	return b, nil
}

// Read reads a file from a stream, and no byte behind its end. It allocates at most twice the bytes
// read.
func Read(r io.Reader) (*File, error) {
	var first [fixed]byte
	if n, err := io.ReadFull(r, first[:]); err != nil {
		if n > 0 && errors.Is(err, io.ErrUnexpectedEOF) {
			if err := checkMagic(first[:n]); err != nil {
				return nil, err
			}
		}
		return nil, cut(err, int64(n))
	}
	h, err := parseHeader(first[:])
	if err != nil {
		return nil, err
	}
	if int64(int(h.bytes)) != h.bytes {
		return nil, fmt.Errorf("snap: %d bytes are more than this machine can address", h.bytes)
	}
	b := mem.Make[byte](int(min(h.bytes, 1<<16)))
	have := copy(b, first[:])
	for {
		n, err := io.ReadFull(r, b[have:])
		if have += n; err != nil {
			return nil, cut(err, int64(have))
		}
		if int64(have) == h.bytes {
			return FromBytes(b)
		}
		more := mem.Make[byte](int(min(h.bytes, 2*int64(have))))
		copy(more, b)
		b = more
	}
}

// cut returns the error for a stream that ended early.
func cut(err error, have int64) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return damaged("it ends after %d bytes", have)
	}
	return err
}

// Sections returns the number of sections.
func (f *File) Sections() int { return len(f.sections) }

// Section returns the description of a section, without rows, and the size and the offset of its
// rows.
func (f *File) Section(i int) (s Section, bytes, offset int64) {
	e := &f.sections[i]
	return e.Section, e.bytes, e.offset
}

// Find returns the index of a section, or -1.
func (f *File) Find(group uint32, name string) int {
	if i, ok := f.numbers[key{group, name}]; ok {
		return i
	}
	return -1
}

// Rows returns the rows of a section in the byte order and alignment of memory for words of the
// given sizes. Where possible they are the bytes of the file, without copying. The caller must not
// modify them.
func (f *File) Rows(i int, words []uint8) ([]byte, error) {
	f.lock.Lock()
	defer f.lock.Unlock()
	if err := f.bring(i); err != nil {
		return nil, err
	}
	h := &f.have[i]
	if h.rows == nil {
		h.rows = ordered(h.raw, words)
		if !aligned(h.rows, words) {
			h.rows = mem.Make[byte](len(h.raw))
			copy(h.rows, h.raw)
		}
		h.rows = h.rows[:len(h.rows):len(h.rows)]
	}
	return h.rows, nil
}

// bring reads the bytes of a section into memory, unless they are already there.
func (f *File) bring(i int) (err error) {
	h, s := &f.have[i], &f.sections[i]
	switch {
	case h.raw != nil:
	case f.all != nil:
		h.raw = f.all[s.offset : s.offset+s.bytes]
	case s.bytes == 0:
		h.raw = []byte{}
	default:
		h.raw, err = readAt(f.from, s.offset, s.bytes)
	}
	return err
}

// Check verifies the sums of a section and the zero bytes before it, unless that has been done.
func (f *File) Check(i int) error {
	c, err := f.Checker(i)
	if err != nil {
		return err
	}
	return c.To(c.s.bytes)
}

// Checker verifies the sums of a section incrementally, so that a reader that validates the rows at
// the same time finds them in the cache. It belongs to one goroutine.
type Checker struct {
	f    *File
	i    int
	s    *entry
	raw  []byte
	done int64
}

// Checker returns a Checker at the first byte, or behind the last one if the sums have been
// verified.
func (f *File) Checker(i int) (c Checker, err error) {
	f.lock.Lock()
	defer f.lock.Unlock()
	if err := f.bring(i); err != nil {
		return c, err
	}
	c = Checker{f: f, i: i, s: &f.sections[i], raw: f.have[i].raw}
	if f.have[i].sums {
		c.done = c.s.bytes
		return c, nil
	}
	if err := f.gap(i); err != nil {
		return c, err
	}
	if c.s.bytes == 0 {
		f.have[i].sums = true
	}
	return c, nil
}

// gap checks that all bytes between a section and the one before it are zero.
func (f *File) gap(i int) error {
	end := f.headBytes()
	if i > 0 {
		end = f.sections[i-1].offset + f.sections[i-1].bytes
	}
	var room [Page]byte
	b := room[:f.sections[i].offset-end]
	if f.all != nil {
		b = f.all[end:][:len(b)]
	} else if n, err := f.from.ReadAt(b, end); n < len(b) {
		return cut(err, end+int64(n))
	}
	for k, x := range b {
		if x != 0 {
			return damaged("byte %d, which is in no section, is %d", end+int64(k), x)
		}
	}
	return nil
}

func (f *File) headBytes() int64 {
	return fixed + rowSize*int64(len(f.sections)) + int64(len(f.sums))
}

// To verifies the sums of all chunks up to the given byte of the section.
func (c *Checker) To(bytes int64) error {
	if bytes <= c.done {
		return nil
	}
	for bytes = min(bytes, c.s.bytes); c.done < bytes; {
		chunk := c.raw[c.done:min(c.done+Chunk, c.s.bytes)]
		at := c.s.first + int(c.done/Chunk)
		if got, want := sumAhead(c.raw, c.done, c.done+int64(len(chunk))), binary.LittleEndian.Uint32(c.f.sums[4*at:]); got != want {
			return damaged("chunk %d of section %q of group %d has the sum %08x, not %08x", c.done/Chunk, c.s.Name, c.s.Group, got, want)
		}
		c.done += int64(len(chunk))
	}
	if c.done == c.s.bytes {
		c.f.lock.Lock()
		c.f.have[c.i].sums = true
		c.f.lock.Unlock()
	}
	return nil
}

// Sums returns the sums of the head: see [HeadSums].
func (f *File) Sums() uint64 { return f.own }
