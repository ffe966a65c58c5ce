package points

import "fmt"

const (
	lzfWindow = 1 << 13               // largest distance of a copy
	lzfLong   = 264                   // largest unpacked item, in bytes
	lzfRoom   = 4*lzfWindow + lzfLong // bytes in memory
)

// lzf decompresses LZF data from a source in pieces. It keeps no more in memory than a copy may reach.
//
// The data is a sequence of items, each with a control byte:
//
//	000LLLLL                    the next L+1 bytes, as they are
//	LLLDDDDD dddddddd           L+2 bytes from D:d + 1 back, L from 1 to 6
//	111DDDDD LLLLLLLL dddddddd  L+9 bytes from D:d + 1 back
//
// A copy may run into its own output: it repeats what it has just written.
type lzf struct {
	s    *source
	left int64          // packed bytes not yet read
	size int64          // expected number of unpacked bytes
	emit func(b []byte) // receives the next piece; b is valid until it returns
	item int64          // packed bytes before the current item

	out      []byte // last bytes unpacked
	handed   int    // bytes of out already passed to emit
	unpacked int64
}

// unpack decompresses all data. It returns false when the source ends before the data. After an error, item is the
// position of the fault in the data.
func (z *lzf) unpack() (ok bool, err error) {
	packed := z.left
	z.out = make([]byte, 0, lzfRoom)
	for z.left > 0 {
		z.item = packed - z.left
		b, ok := z.take(1)
		if !ok {
			return false, nil
		}
		control := int(b[0])
		n, back := control+1, 0
		if control >= 32 {
			if n, back, ok, err = z.span(control); !ok || err != nil {
				return ok, err
			}
		}
		if z.unpacked += int64(n); z.unpacked > z.size {
			return true, fmt.Errorf("unpacks to more than %d bytes", z.size)
		}
		if back == 0 {
			if z.left < int64(n) {
				return true, fmt.Errorf("ends inside a literal run")
			}
			if b, ok = z.take(n); !ok {
				return false, nil
			}
			z.out = append(z.out, b...)
		} else {
			if back > len(z.out) {
				return true, fmt.Errorf("copy from %d back, but %d bytes unpacked", back, z.unpacked-int64(n))
			}
			for from := len(z.out) - back; n > 0; n-- {
				z.out = append(z.out, z.out[from])
				from++
			}
		}
		if len(z.out) > lzfRoom-lzfLong {
			z.flush()
			z.handed = copy(z.out, z.out[len(z.out)-lzfWindow:])
			z.out = z.out[:z.handed]
		}
	}
	z.flush()
	z.item = packed
	if z.unpacked < z.size {
		return true, fmt.Errorf("unpacks to %d bytes, want %d", z.unpacked, z.size)
	}
	return true, nil
}

// span reads the rest of a copy item: its length, and its distance back.
func (z *lzf) span(control int) (n, back int, ok bool, err error) {
	n = control>>5 + 2
	more := 1
	if control >= 224 {
		more = 2
	}
	if z.left < int64(more) {
		return 0, 0, true, fmt.Errorf("ends inside a copy")
	}
	b, ok := z.take(more)
	if !ok {
		return 0, 0, false, nil
	}
	if more == 2 {
		n += int(b[0])
	}
	return n, control&31<<8 | int(b[more-1]) + 1, true, nil
}

func (z *lzf) take(n int) ([]byte, bool) {
	z.left -= int64(n)
	return z.s.take(int64(n))
}

func (z *lzf) flush() {
	z.emit(z.out[z.handed:])
	z.handed = len(z.out)
}
