package points

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// packLZF packs src, greedily and slowly, into literal runs and copies of up to
// 264 bytes.
func packLZF(src []byte) (dst []byte) {
	var literal []byte
	flush := func() {
		for len(literal) > 0 {
			n := min(len(literal), 32)
			dst = append(append(dst, byte(n-1)), literal[:n]...)
			literal = literal[n:]
		}
	}
	for i := 0; i < len(src); {
		best, back := 0, 0
		for from := max(0, i-8192); from < i; from++ {
			n := 0
			for i+n < len(src) && n < 264 && src[from+n] == src[i+n] {
				n++
			}
			if n > best {
				best, back = n, i-from-1
			}
		}
		if best < 3 {
			literal = append(literal, src[i])
			i++
			continue
		}
		flush()
		i += best
		if best < 9 {
			dst = append(dst, byte((best-2)<<5|back>>8), byte(back))
		} else {
			dst = append(dst, byte(7<<5|back>>8), byte(best-9), byte(back))
		}
	}
	flush()
	return dst
}

// unpackAll unpacks src into memory.
func unpackAll(src []byte, size int64) (dst []byte, used int, err error) {
	s, _, err := open(nil, bytes.NewReader(append([]byte("not gzip"), src...)), "a")
	if err != nil {
		return nil, 0, err
	}
	s.skip(8)
	z := lzf{s: s, left: int64(len(src)), size: size, emit: func(b []byte) { dst = append(dst, b...) }}
	if ok, err := z.unpack(); err != nil || !ok {
		return nil, int(z.item), err
	}
	return dst, int(z.item), nil
}

func TestLZF(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	noise := make([]byte, 9000)
	for i := range noise {
		noise[i] = byte(r.IntN(256))
	}
	far := append(bytes.Clone(noise[:8192]), noise[:300]...)
	for _, src := range [][]byte{nil, {5}, []byte("abcabcabcabcd"), bytes.Repeat([]byte{0}, 1000), noise[:33], far} {
		packed := packLZF(src)
		got, used, err := unpackAll(packed, int64(len(src)))
		if err != nil || used != len(packed) || !bytes.Equal(got, src) {
			t.Errorf("%d bytes: used %d of %d, %v", len(src), used, len(packed), err)
		}
	}
}

func TestLZFMalformed(t *testing.T) {
	for _, test := range []struct {
		src  string
		size int64
		used int
		want string
	}{
		{"", 1, 0, "unpacks to 0 bytes, want 1"},
		{"\x00a", 2, 2, "unpacks to 1 bytes, want 2"},
		{"\x00a\x01bc", 2, 2, "unpacks to more than 2 bytes"},
		{"\x02ab", 3, 0, "ends inside a literal run"},
		{"\x00a\x20", 9, 2, "ends inside a copy"},
		{"\x00a\xe0", 99, 2, "ends inside a copy"},
		{"\x00a\xe0\x00", 99, 2, "ends inside a copy"},
		{"\x00a\x20\x01", 9, 2, "copy from 2 back, but 1 bytes unpacked"},
		{"\x20\x00", 9, 0, "copy from 1 back, but 0 bytes unpacked"},
	} {
		_, used, err := unpackAll([]byte(test.src), test.size)
		if err == nil || err.Error() != test.want || used != test.used {
			t.Errorf("%q: %d %v, want %d %s", test.src, used, err, test.used, test.want)
		}
	}
}

func FuzzLZF(f *testing.F) {
	f.Add([]byte("abcabcabcabc"), uint32(12))
	f.Add([]byte("\x02abc\xe0\x10\x02"), uint32(28))
	f.Fuzz(func(t *testing.T, data []byte, size uint32) {
		got, _, err := unpackAll(data, int64(size))
		if err == nil && len(got) != int(size) {
			t.Fatalf("%d bytes, want %d", len(got), size)
		}
		if cap(got) > 64+512*len(data) {
			t.Fatalf("%d bytes from %d", cap(got), len(data))
		}
		if len(data) > 4096 {
			return
		}
		got, _, err = unpackAll(packLZF(data), int64(len(data)))
		if err != nil || !bytes.Equal(got, data) {
			t.Fatalf("round trip: %v", err)
		}
	})
}

func TestQuote(t *testing.T) {
	if got := quote([]byte("a\x00b")); got != `"a\x00b"` {
		t.Error(got)
	}
	if got := quote([]byte(strings.Repeat("x", 1000))); got != `"`+strings.Repeat("x", 40)+`"...` {
		t.Error(got)
	}
}
