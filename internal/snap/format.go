package snap

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"strings"
	"unsafe"

	"github.com/zoctree/zoctree/internal/mem"
)

// Errors that the errors of this package wrap.
var (
	ErrFormat  = errors.New("snap: invalid snapshot")
	ErrVersion = errors.New("snap: a snapshot of another version")
)

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrFormat, fmt.Sprintf(format, args...))
}

// Constants of the format: see the package comment.
const (
	Magic = "\x89ZOC\r\n\x1a\n"
	Major = 2
	Minor = 0

	Page    = 4096    // alignment of large sections
	line    = 64      // alignment of small sections
	Chunk   = 1 << 18 // bytes per sum
	fixed   = 64      // bytes of the header
	rowSize = 64      // bytes of a section's entry in the table
	nameMax = 31

	// maxSections bounds the table, which is read before its sum has been checked.
	maxSections = 1 << 20
)

// Kinds of files in this module: a tree, a scene, and the manifest of a directory.
const (
	KindTree     = 1
	KindScene    = 2
	KindManifest = 16
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sum returns the CRC-32C.
func sum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// piece is the number of bytes that hash/crc32 sums in three interleaved streams.
const piece = 3 * 1344

// sumAhead returns the sum of b[from:to], with prefetching. Without it, uncached bytes take three
// times as long, because hardware prefetchers stop at the end of a page. While it sums a piece, it
// prefetches the next one, which may be behind to if b holds all of it.
func sumAhead(b []byte, from, to int64) (sum uint32) {
	for at := from; at < to; at += piece {
		if next := at + piece; next+piece <= int64(len(b)) {
			mem.Prefetch(unsafe.Slice((*[piece]byte)(unsafe.Pointer(&b[next])), 1), first[:], 0)
		}
		sum = crc32.Update(sum, castagnoli, b[at:min(at+piece, to)])
	}
	return sum
}

// first is the row index of a prefetched piece.
var first [1]uint32

// Section is a column to write to a file, or the description of a column in a file.
type Section struct {
	Group  uint32
	Name   string // 1 to 31 bytes, none zero
	Row    int    // bytes of a row
	Layout uint32 // description of the words of a row, defined by the owner
	Flags  Flags

	// Words holds the sizes in bytes of the words of a row in order, or a single size for a row of
	// equal words. It determines byte swapping on big-endian machines. It is not in the file.
	Words []uint8

	Data []byte // rows in the layout of memory
}

// Flags are the uses for which a section is required.
type Flags uint32

// A reader may ignore an unknown section unless a flag requires it.
const (
	ToRead   Flags = 1 << iota // required by all readers
	ToChange                   // required by readers whose result can be changed
)

// entry is a section in the table of a file.
type entry struct {
	Section
	offset, bytes int64
	first         int // index of its first sum
	chunks        int
}

// chunksOf returns the number of chunks of a section of the given size.
func chunksOf(bytes int64) int64 { return (bytes + Chunk - 1) / Chunk }

// place returns the offset of a section of the given size when the one before it ends at end.
func place(end, bytes int64) int64 {
	to := int64(line)
	if bytes >= Page {
		to = Page
	}
	return (end + to - 1) &^ (to - 1)
}

// checkName returns an error if name is not valid for a section.
func checkName(name string) error {
	if name == "" || len(name) > nameMax || strings.IndexByte(name, 0) >= 0 {
		return fmt.Errorf("snap: a section is named %q: not 1 to %d bytes, or a zero byte", name, nameMax)
	}
	return nil
}

// header is the fixed part of the head.
type header struct {
	minor    uint16
	kind     uint32
	bytes    int64
	sections int
	head     int64
	tables   uint32
}

func (h *header) put(b []byte) {
	copy(b, Magic)
	e := binary.LittleEndian
	e.PutUint16(b[8:], Major)
	e.PutUint16(b[10:], h.minor)
	e.PutUint32(b[12:], h.kind)
	e.PutUint64(b[16:], uint64(h.bytes))
	e.PutUint32(b[24:], uint32(h.sections))
	e.PutUint32(b[28:], Chunk)
	e.PutUint64(b[32:], uint64(h.head))
	clear(b[40:56])
	e.PutUint32(b[56:], h.tables)
	e.PutUint32(b[60:], sum(b[:60]))
}

// KindOf returns the kind of a file from its first bytes; ok is false if they are not a header of
// this version.
func KindOf(head []byte) (kind uint32, ok bool) {
	e := binary.LittleEndian
	if len(head) < 16 || string(head[:8]) != Magic || e.Uint16(head[8:]) != Major {
		return 0, false
	}
	return e.Uint32(head[12:]), true
}

// checkMagic returns an error if b does not begin with the magic bytes, or with their beginning if it is
// shorter.
func checkMagic(b []byte) error {
	if n := min(len(b), len(Magic)); string(b[:n]) != Magic[:n] {
		return damaged("not a zoctree snapshot (bad magic)")
	}
	return nil
}

// parseHeader parses and checks the fixed part of the head.
func parseHeader(b []byte) (h header, err error) {
	if err := checkMagic(b); err != nil {
		return h, err
	}
	if len(b) < fixed {
		return h, damaged("it ends after %d bytes", len(b))
	}
	e := binary.LittleEndian
	if major := e.Uint16(b[8:]); major != Major {
		by := "a later"
		if major < Major {
			by = "an earlier"
		}
		return h, fmt.Errorf("%w: it was written by %s version of the library, in format %d, and this one reads format %d", ErrVersion, by, major, Major)
	}
	if got, want := sum(b[:60]), e.Uint32(b[60:]); got != want {
		return h, damaged("the header has the sum %08x, not %08x", got, want)
	}
	h.minor, h.kind, h.tables = e.Uint16(b[10:]), e.Uint32(b[12:]), e.Uint32(b[56:])
	bytes, head, n, chunk := e.Uint64(b[16:]), e.Uint64(b[32:]), e.Uint32(b[24:]), e.Uint32(b[28:])
	for _, x := range b[40:56] {
		if x != 0 {
			return h, damaged("reserved bytes of the header are not zero")
		}
	}
	if bytes > math.MaxInt64 || head > bytes || n > maxSections || head < fixed+rowSize*uint64(n) || chunk != Chunk {
		return h, damaged("%d sections in a head of %d bytes, in a file of %d, with chunks of %d", n, head, bytes, chunk)
	}
	h.bytes, h.head, h.sections = int64(bytes), int64(head), int(n)
	return h, nil
}

// putEntry writes an entry of the table.
func putEntry(b []byte, s *entry) {
	clear(b[:32])
	copy(b[:nameMax], s.Name)
	e := binary.LittleEndian
	e.PutUint32(b[32:], s.Group)
	e.PutUint32(b[36:], uint32(s.Row))
	e.PutUint32(b[40:], s.Layout)
	e.PutUint32(b[44:], uint32(s.Flags))
	e.PutUint64(b[48:], uint64(s.offset))
	e.PutUint64(b[56:], uint64(s.bytes))
}

// key identifies a section.
type key struct {
	group uint32
	name  string
}

// parseTables parses and checks the tables; head includes the header. It returns the sections,
// their indexes by key, and their sums.
func parseTables(h *header, head []byte) (sections []entry, numbers map[key]int, sums []byte, err error) {
	if got := sum(head[fixed:]); got != h.tables {
		return nil, nil, nil, damaged("the tables have the sum %08x, not %08x", got, h.tables)
	}
	e := binary.LittleEndian
	numbers = make(map[key]int, h.sections)
	end, chunks := h.head, int64(0)
	for i := range h.sections {
		b := head[fixed+rowSize*i:][:rowSize]
		name, rest, _ := strings.Cut(string(b[:32]), "\x00")
		s := entry{first: int(chunks)}
		s.Name, s.Group, s.Layout, s.Flags = name, e.Uint32(b[32:]), e.Uint32(b[40:]), Flags(e.Uint32(b[44:]))
		row, offset, bytes := e.Uint32(b[36:]), e.Uint64(b[48:]), e.Uint64(b[56:])
		k := key{s.Group, name}
		_, seen := numbers[k]
		switch {
		case checkName(name) != nil || strings.Trim(rest, "\x00") != "":
			return nil, nil, nil, damaged("section %d has the name %q", i, b[:32])
		case seen:
			return nil, nil, nil, damaged("section %d is another %q of group %d", i, name, s.Group)
		case bytes > uint64(h.bytes) || row == 0 || row > math.MaxInt32 || bytes%uint64(row) != 0:
			return nil, nil, nil, damaged("section %q has %d bytes in rows of %d, of a file of %d", name, bytes, row, h.bytes)
		default:
			numbers[k] = i
		}
		s.Row, s.bytes = int(row), int64(bytes)
		if s.offset = place(end, s.bytes); uint64(s.offset) != offset || s.bytes > h.bytes-s.offset {
			return nil, nil, nil, damaged("section %q of %d bytes begins at %d, not at %d, in a file of %d", name, bytes, offset, s.offset, h.bytes)
		}
		s.chunks = int(chunksOf(s.bytes))
		end, chunks = s.offset+s.bytes, chunks+int64(s.chunks)
		sections = append(sections, s)
	}
	if want := fixed + rowSize*int64(h.sections) + 4*chunks; end != h.bytes || h.head != want {
		return nil, nil, nil, damaged("a file of %d bytes with a head of %d, the sections need %d with %d", h.bytes, h.head, end, want)
	}
	return sections, numbers, head[fixed+rowSize*h.sections:], nil
}

// HeadBytes is the length of the header, which contains the sums that [HeadSums] returns.
const HeadBytes = fixed

// HeadSums returns the sums in the first HeadBytes bytes of a file: the sum of the header and the
// sum of the tables, which include the sums of all chunks. So files with different contents have
// different sums, except by manipulation.
func HeadSums(head []byte) uint64 { return binary.LittleEndian.Uint64(head[56:]) }
