package snap

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
)

// someSections are columns of words of every size, small and large ones, and empty ones.
func someSections(large int) []Section {
	r := rand.New(rand.NewPCG(1, 2))
	data := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	return []Section{
		{Group: 1, Name: "bytes", Row: 1, Layout: 1, Words: []uint8{1}, Data: data(77)},
		{Group: 1, Name: "none", Row: 8, Layout: 8, Words: []uint8{8}},
		{Group: 1, Name: "large", Row: 64, Layout: 4, Words: []uint8{4}, Data: data(64 * large)},
		{Group: 2, Name: "bytes", Row: 2, Layout: 2, Words: []uint8{2}, Data: data(6), Flags: ToRead},
		{Group: 9, Name: strings.Repeat("n", 31), Row: 15, Layout: 9, Words: []uint8{8, 4, 2, 1}, Data: data(45), Flags: ToChange},
		{Group: 9, Name: "page", Row: 8, Layout: 8, Words: []uint8{8}, Data: data(Page)},
	}
}

func fileOf(t testing.TB, sections []Section) []byte {
	t.Helper()
	var b bytes.Buffer
	n, err := Write(nil, &b, 7, sections, nil)
	if err != nil || n != int64(b.Len()) {
		t.Fatalf("%d bytes of %d, %v", n, b.Len(), err)
	}
	return b.Bytes()
}

// ways are the ways to open a file.
var ways = map[string]func(b []byte) (*File, error){
	"bytes":     FromBytes,
	"unaligned": func(b []byte) (*File, error) { return FromBytes(append(make([]byte, 1, len(b)+1), b...)[1:]) },
	"at":        func(b []byte) (*File, error) { return Open(bytes.NewReader(b), int64(len(b))) },
	"stream":    func(b []byte) (*File, error) { return Read(bytes.NewReader(b)) },
	"drops":     func(b []byte) (*File, error) { return Read(iotest.OneByteReader(bytes.NewReader(b))) },
}

// check compares a file with the sections that it is made of.
func check(f *File, want []Section) error {
	if f.Kind != 7 || f.Sections() != len(want) {
		return errors.New("another kind or number of sections")
	}
	for i, w := range want {
		s, bytesOf, offset := f.Section(i)
		if s.Group != w.Group || s.Name != w.Name || s.Row != w.Row || s.Layout != w.Layout || s.Flags != w.Flags || bytesOf != int64(len(w.Data)) {
			return errors.New("another section " + w.Name)
		}
		if at := int64(line); bytesOf >= Page && offset%Page != 0 || offset%at != 0 {
			return errors.New("section " + w.Name + " is not aligned")
		}
		if f.Find(w.Group, w.Name) != i {
			return errors.New("section " + w.Name + " is not found")
		}
		if err := f.Check(i); err != nil {
			return err
		}
		rows, err := f.Rows(i, w.Words)
		if err != nil {
			return err
		}
		if !bytes.Equal(rows, w.Data) || !aligned(rows, w.Words) {
			return errors.New("section " + w.Name + " has other rows")
		}
	}
	if f.Find(3, "bytes") >= 0 || f.Find(1, "page") >= 0 {
		return errors.New("a section that is not there is found")
	}
	return nil
}

// Every way reads the sections that were written, on machines of either byte order. Their files differ only in the
// order of bytes in words: here the other order is that of this machine.
func TestRoundTrip(t *testing.T) {
	for _, other := range []bool{false, true} {
		if other {
			big = !big
		}
		for _, large := range []int{1, 64, Chunk / 64, Chunk/64*2 + 1} {
			sections := someSections(large)
			b := fileOf(t, sections)
			for name, open := range ways {
				f, err := open(b)
				if err == nil {
					err = check(f, sections)
				}
				if err != nil {
					t.Errorf("%s, %d rows, other order %v: %v", name, large, other, err)
				}
			}
		}
	}
	sections := someSections(1)
	swapped := fileOf(t, sections)
	big = !big
	native := fileOf(t, sections)
	i := 4 // of several sizes
	f, err := FromBytes(swapped)
	if err != nil {
		t.Fatal(err)
	}
	rows, _ := f.Rows(i, sections[i].Words)
	swap(rows, rows, sections[i].Words)
	if !bytes.Equal(rows, sections[i].Data) || bytes.Equal(swapped, native) {
		t.Error("a file of another order of bytes has the same words, or others than swapped ones")
	}
}

// A stream may continue after the file: the rest is not read.
func TestReadStops(t *testing.T) {
	b := fileOf(t, someSections(Chunk/64+1))
	r := bytes.NewReader(append(slices.Clone(b), "more"...))
	if _, err := Read(r); err != nil {
		t.Fatal(err)
	}
	if rest, _ := io.ReadAll(r); string(rest) != "more" {
		t.Errorf("%q is left", rest)
	}
}

// A file that is cut anywhere, or has a byte more, is rejected by every way to open it.
func TestCut(t *testing.T) {
	b := fileOf(t, someSections(70))
	for n := range b {
		for name, open := range ways {
			if name != "bytes" && n > 500 && n%23 != 0 {
				continue
			}
			if _, err := open(b[:n]); !errors.Is(err, ErrFormat) {
				t.Fatalf("%s of %d bytes of %d: %v", name, n, len(b), err)
			}
		}
	}
	for _, name := range []string{"bytes", "at"} {
		if _, err := ways[name](append(slices.Clone(b), 0)); !errors.Is(err, ErrFormat) {
			t.Errorf("%s with a byte more: %v", name, err)
		}
	}
}

// Every changed byte is detected: in the head when the file is opened, in sections and between them when these are
// checked.
func TestEveryByteCounts(t *testing.T) {
	sections := someSections(70)
	b := fileOf(t, sections)
	for name, open := range ways {
		for at := range b {
			if at > 800 && at%4 != 0 || name != "bytes" && at%37 != 0 {
				continue
			}
			b[at] ^= 0x10
			f, err := open(b)
			if head := at < int(binary.LittleEndian.Uint64(b[32:])); (err != nil) != head {
				t.Fatalf("%s, byte %d, in the head %v: %v", name, at, head, err)
			}
			if err == nil {
				err = check(f, sections)
			}
			if !errors.Is(err, ErrFormat) && !errors.Is(err, ErrVersion) {
				t.Fatalf("%s, byte %d: %v", name, at, err)
			}
			b[at] ^= 0x10
		}
	}
}

// repair makes the sums of the head right.
func repair(b []byte) {
	e := binary.LittleEndian
	if head := e.Uint64(b[32:]); head <= uint64(len(b)) && head >= fixed {
		e.PutUint32(b[56:], sum(b[fixed:head]))
	}
	e.PutUint32(b[60:], sum(b[:60]))
}

// A head with false sizes and right sums is rejected, and nothing is allocated for its sizes.
func TestLies(t *testing.T) {
	e := binary.LittleEndian
	b := fileOf(t, someSections(70))
	row := fixed + 2*rowSize // of the large one
	for name, lie := range map[string]func(b []byte){
		"magic":               func(b []byte) { b[0] = 'Z' },
		"major":               func(b []byte) { b[8]++ },
		"bytes":               func(b []byte) { e.PutUint64(b[16:], 1<<62) },
		"bytes, negative":     func(b []byte) { e.PutUint64(b[16:], 1<<63) },
		"bytes, less":         func(b []byte) { e.PutUint64(b[16:], e.Uint64(b[16:])-1) },
		"sections":            func(b []byte) { e.PutUint32(b[24:], 1<<31) },
		"sections, more":      func(b []byte) { b[24]++ },
		"sections, less":      func(b []byte) { b[24]-- },
		"chunk":               func(b []byte) { b[28] = 1 },
		"head":                func(b []byte) { e.PutUint64(b[32:], 1<<61) },
		"head, less":          func(b []byte) { b[32] -= 4 },
		"head, more":          func(b []byte) { b[32] += 4 },
		"zero":                func(b []byte) { b[41] = 1 },
		"no name":             func(b []byte) { clear(b[row : row+32]) },
		"a name goes on":      func(b []byte) { b[row+20] = 1 },
		"a name has no end":   func(b []byte) { copy(b[row:], strings.Repeat("x", 32)) },
		"a name twice":        func(b []byte) { copy(b[row:row+36], b[fixed:]) },
		"row":                 func(b []byte) { e.PutUint32(b[row+36:], 63) },
		"row 0":               func(b []byte) { e.PutUint32(b[row+36:], 0) },
		"row, huge":           func(b []byte) { e.PutUint32(b[row+36:], 1<<31) },
		"offset":              func(b []byte) { e.PutUint64(b[row+48:], e.Uint64(b[row+48:])+64) },
		"offset of another":   func(b []byte) { copy(b[row+48:row+56], b[fixed+48:]) },
		"size of a section":   func(b []byte) { e.PutUint64(b[row+56:], 1<<40) },
		"size, negative":      func(b []byte) { e.PutUint64(b[row+56:], 1<<63) },
		"size, a row less":    func(b []byte) { e.PutUint64(b[row+56:], 69*64) },
		"size, a chunk more":  func(b []byte) { e.PutUint64(b[row+56:], 70*64+Chunk) },
		"size, as the file":   func(b []byte) { e.PutUint64(b[row+56:], e.Uint64(b[16:])&^63) },
		"size of the last":    func(b []byte) { e.PutUint64(b[fixed+5*rowSize+56:], 8) },
		"a section without":   func(b []byte) { e.PutUint64(b[row+56:], 0) },
		"an empty one larger": func(b []byte) { e.PutUint64(b[fixed+rowSize+56:], 1<<20) },
	} {
		c := slices.Clone(b)
		lie(c)
		repair(c)
		for way, open := range ways {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := open(c)
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > 4*uint64(len(b))+1<<17 {
				t.Errorf("%s, %s: %d bytes were allocated for a file of %d", name, way, n, len(b))
			}
			small := strconv.IntSize == 32 && name == "bytes" && err != nil // more than it can address
			if !errors.Is(err, ErrFormat) && !(name == "major" && errors.Is(err, ErrVersion)) && !small {
				t.Errorf("%s, %s: %v", name, way, err)
			}
		}
	}
	b[10]++ // a later minor version
	repair(b)
	if f, err := FromBytes(b); err != nil || f.Minor != Minor+1 {
		t.Errorf("a later minor version: %v", err)
	}
}

// failing writes n bytes, and then fails, or writes fewer than requested.
type failing struct {
	n     int
	short bool
}

var errFull = errors.New("full")

func (f *failing) Write(b []byte) (int, error) {
	if len(b) <= f.n {
		f.n -= len(b)
		return len(b), nil
	}
	n := f.n
	f.n = 0
	if f.short {
		return n, nil
	}
	return n, errFull
}

// The error of a writer that fails at any byte is returned, with the bytes that were written.
func TestWriterFails(t *testing.T) {
	sections := someSections(70)
	for n := range fileOf(t, sections) {
		for _, short := range []bool{false, true} {
			k, err := Write(nil, &failing{n, short}, 7, sections, nil)
			if want := map[bool]error{false: errFull, true: io.ErrShortWrite}[short]; k != int64(n) || !errors.Is(err, want) {
				t.Fatalf("of a writer of %d bytes, short %v: %d, %v", n, short, k, err)
			}
		}
	}
}

// Progress rises to 1, and a context that is done ends it, before and while it writes.
func TestProgress(t *testing.T) {
	sections := someSections(Chunk)
	last, calls := 0.0, 0
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := Write(ctx, io.Discard, 7, sections, func(share float64) {
		if calls++; !(share > last && share <= 1) {
			t.Fatalf("%v after %v", share, last)
		}
		last = share
	}); err != nil || last != 1 || calls < 20 {
		t.Errorf("%d calls, the last of %v, %v", calls, last, err)
	}
	for _, at := range []float64{0.1, 0.6} {
		var b bytes.Buffer
		_, err := Write(ctx, &b, 7, sections, func(share float64) {
			if share > at {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) || (b.Len() > 0) != (at > 0.5) {
			t.Errorf("ended at %v: %d bytes, %v", at, b.Len(), err)
		}
		ctx, cancel = context.WithCancel(t.Context())
	}
	cancel()
}

// An invalid section is rejected before anything is written.
func TestWriteRefuses(t *testing.T) {
	for _, s := range []Section{
		{Name: "", Row: 1, Words: []uint8{1}},
		{Name: strings.Repeat("n", 32), Row: 1, Words: []uint8{1}},
		{Name: "a\x00b", Row: 1, Words: []uint8{1}},
		{Name: "a", Row: 0, Words: []uint8{1}},
		{Name: "a", Row: 2, Words: []uint8{1}, Data: make([]byte, 3)},
		{Name: "a", Row: 1},
	} {
		if n, err := Write(nil, io.Discard, 7, []Section{s}, nil); err == nil || n != 0 {
			t.Errorf("%+v: %d bytes, %v", s, n, err)
		}
	}
}

// The error of a reader is returned, and is not taken for a damaged file.
func TestReaderFails(t *testing.T) {
	b := fileOf(t, someSections(70))
	for n := range len(b) {
		r := io.MultiReader(bytes.NewReader(b[:n]), iotest.ErrReader(errFull))
		if _, err := Read(r); !errors.Is(err, errFull) {
			t.Fatalf("after %d bytes: %v", n, err)
		}
	}
	f, err := Open(&failsAt{bytes.NewReader(b), 5000}, int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Check(f.Find(9, "page")); !errors.Is(err, errFull) {
		t.Errorf("a section that cannot be read: %v", err)
	}
}

type failsAt struct {
	*bytes.Reader
	at int64
}

func (f *failsAt) ReadAt(b []byte, at int64) (int, error) {
	if at+int64(len(b)) > f.at {
		return 0, errFull
	}
	return f.Reader.ReadAt(b, at)
}

// A digest depends on every byte, on how many there are, and on the one before; not on the
// order of bytes of the machine.
func TestDigest(t *testing.T) {
	data := someSections(9)[2].Data
	seen := map[uint64]bool{}
	add := func(d uint64) {
		if seen[d] {
			t.Fatalf("%016x is the digest of two", d)
		}
		seen[d] = true
	}
	for n := range len(data) {
		add(Digest(0, data[:n], []uint8{1}))
		add(Digest(1, data[:n], []uint8{1}))
		add(Digest(0, make([]byte, n+1000), []uint8{1}))
	}
	for at := range data {
		for bit := range 8 {
			data[at] ^= 1 << bit
			add(Digest(0, data, []uint8{4}))
			data[at] ^= 1 << bit
		}
	}
	want := Digest(3, data, []uint8{4})
	big = !big
	defer func() { big = !big }()
	swap(data, data, []uint8{4})
	if got := Digest(3, data, []uint8{4}); got != want {
		t.Errorf("%016x, on the other machine %016x", got, want)
	}
}

func FuzzFile(f *testing.F) {
	f.Add(fileOf(f, someSections(3)))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) >= fixed {
			repair(b)
		}
		for _, open := range ways {
			file, err := open(b)
			if err != nil {
				continue
			}
			for i := range file.Sections() {
				_ = file.Check(i)
				if s, _, _ := file.Section(i); s.Row%4 == 0 {
					if _, err := file.Rows(i, []uint8{4}); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	})
}
