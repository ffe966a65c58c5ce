package input

import "fmt"

// unpackLZF unpacks LZF data of a known size, 0 or more. On an error, used is
// where in src the fault lies. The result grows as it is made: a wrong size
// costs nothing.
//
// The data is a sequence of items, each with a control byte:
//
//	000LLLLL                    the next L+1 bytes, as they are
//	LLLDDDDD dddddddd           L+2 bytes from D:d + 1 back, L from 1 to 6
//	111DDDDD LLLLLLLL dddddddd  L+9 bytes from D:d + 1 back
//
// A copy may run into its own output: it repeats what it has just written.
func unpackLZF(src []byte, size int64) (dst []byte, used int, err error) {
	i := 0
	for i < len(src) {
		item := i
		control := int(src[i])
		i++
		n := control>>5 + 2
		if control < 32 {
			n = control + 1
		} else if control >= 224 {
			if i < len(src) {
				n += int(src[i])
			}
			i++
		}
		if int64(len(dst)+n) > size {
			return nil, item, fmt.Errorf("unpacks to more than %d bytes", size)
		}
		if control < 32 {
			if len(src)-i < n {
				return nil, item, fmt.Errorf("ends inside a literal run")
			}
			dst = append(dst, src[i:i+n]...)
			i += n
			continue
		}
		if i >= len(src) {
			return nil, item, fmt.Errorf("ends inside a copy")
		}
		back := control&31<<8 | int(src[i]) + 1
		i++
		if back > len(dst) {
			return nil, item, fmt.Errorf("copy from %d back, but %d bytes unpacked", back, len(dst))
		}
		for from := len(dst) - back; n > 0; n-- {
			dst = append(dst, dst[from])
			from++
		}
	}
	if int64(len(dst)) < size {
		return nil, len(src), fmt.Errorf("unpacks to %d bytes, want %d", len(dst), size)
	}
	return dst, i, nil
}
