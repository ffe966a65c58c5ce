package points

import (
	"bytes"
	"path"
	"strings"
)

// A format reads the whole of s into c.
type format func(s *source, c *Cloud, opt *Options) error

// detect chooses the format by the first bytes and the name.
func detect(s *source) (format, error) {
	head := s.peek(1024)
	if len(head) == 0 {
		if err := s.failure(); err != nil {
			return nil, err
		}
		return nil, s.errorf("empty file")
	}
	switch {
	case bytes.HasPrefix(head, []byte("\ufeff")): // or the first word would be another
		s.take(3)
		head = head[3:]
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return nil, s.errorf("text in UTF-16, want UTF-8")
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	if string(line) == "ply" {
		return readPLY, nil
	}

	name := strings.ToLower(strings.ReplaceAll(s.name, `\`, "/"))
	switch path.Ext(strings.TrimSuffix(name, ".gz")) {
	case ".ply":
		return readPLY, nil
	case ".pcd":
		return readPCD, nil
	case ".obj":
		return readOBJ, nil
	case ".csv":
		return readCSV, nil
	}

	word, _ := cutField(line)
	switch {
	case bytes.HasPrefix(line, []byte("# .PCD")), string(word) == "VERSION":
		return readPCD, nil
	case bytes.IndexByte(line, ',') >= 0:
		return readCSV, nil
	}
	switch string(word) {
	case "v", "vt", "vn", "f", "o", "g", "mtllib", "#":
		return readOBJ, nil
	}
	return nil, s.errorf("neither name nor first line is of PLY, PCD, OBJ or CSV")
}
