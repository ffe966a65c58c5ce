package points

import "fmt"

const (
	lzfWindow = 1 << 13               // how far back a copy reaches
	lzfLong   = 264                   // bytes of the longest item, unpacked
	lzfRoom   = 4*lzfWindow + lzfLong // bytes in memory
)

// lzf unpacks LZF data of a source and hands it on in pieces: no more of it is
// in memory than a copy may reach.
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
	left int64          // packed bytes that are not read
	size int64          // bytes that it must unpack to
	emit func(b []byte) // takes the next piece; b is the callee's until it returns
	item int64          // packed bytes before the item under way

	out      []byte // the last bytes unpacked
	handed   int    // of them to emit
	unpacked int64
}

// unpack unpacks all. It returns false when the source ends before the data; on
// an error, item is where in the data the fault lies.
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

// span reads the rest of a copy's item: how much it copies, and from how far
// back.
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
