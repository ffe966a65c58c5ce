package points

import (
	"bytes"
	"path"
	"strings"
)

// A format reads the whole of s into k, and returns its name.
type format func(s *source, k *collector) (string, error)

// headSize is the largest number of bytes that are examined to detect the format.
const headSize = 16 << 10

// detect chooses the format by the first bytes and the name.
func detect(s *source) (format, error) {
	head := s.peek(headSize)
	if len(head) == 0 {
		if err := s.failure(); err != nil {
			return nil, err
		}
		return nil, s.errorf("empty file")
	}
	switch {
	case bytes.HasPrefix(head, []byte("LASF")):
		return readLAS, nil
	case bytes.HasPrefix(head, []byte("\ufeff")): // or it would be part of the first word
		s.take(3)
		head = head[3:]
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return nil, s.errorf("text in UTF-16, want UTF-8: save it as UTF-8")
	}
	if bytes.HasSuffix(head, []byte{'\r'}) { // the \n may be the next byte
		head = s.peek(len(head) + 1)
	}
	if i := bytes.IndexAny(head, "\r\n"); i >= 0 && head[i] == '\r' && !bytes.HasPrefix(head[i:], []byte("\r\n")) {
		s.end = '\r'
	}
	line, rest, _ := bytes.Cut(head, []byte{s.end})
	if string(trimBlanksAfter(line)) == "ply" {
		return readPLY, nil
	}
	pcd := bytes.HasPrefix(line, []byte("# .PCD"))
	for len(rest) > 0 && isComment(line) {
		line, rest, _ = bytes.Cut(rest, []byte{s.end})
	}
	keyword, _ := cutField(line)
	if pcd || string(keyword) == "VERSION" && bytes.Contains(rest, []byte{s.end, 'S', 'I', 'Z', 'E', ' '}) {
		return readPCD, nil
	}
	name := strings.ToLower(strings.ReplaceAll(s.name, `\`, "/"))
	ending := path.Ext(strings.TrimSuffix(name, ".gz"))
	if text := foreign(head, ending); text != "" {
		return nil, s.errorf("%s", text)
	}
	switch ending {
	case ".ply":
		return readPLY, nil
	case ".pcd":
		return readPCD, nil
	}
	// The remaining formats are text.
	if bytes.IndexByte(head, 0) >= 0 {
		return nil, s.errorf("binary data that is neither LAS, PLY nor PCD, want " + formats + ": convert it to PLY or CSV")
	}
	switch ending {
	case ".obj":
		return readOBJ, nil
	case ".csv":
		return readCSV, nil
	case ".xyz":
		return readXYZ, nil
	case ".pts":
		return readPTS, nil
	}
	switch string(keyword) {
	case "v", "vt", "vn", "vp", "f", "o", "g", "s", "mtllib", "usemtl":
		return readOBJ, nil
	}
	if isComment(line) { // the head has only comments
		return readOBJ, nil
	}
	return readTable, nil
}

// isComment reports whether a line of text is blank or a comment.
func isComment(line []byte) bool {
	line = trimBlanks(line)
	return len(line) == 0 || line[0] == '#' || bytes.HasPrefix(line, []byte("//"))
}
