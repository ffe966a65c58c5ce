package points

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/zoctree/zoctree/internal/fault"
)

// Roles of properties: x, y and z are 0, 1 and 2.
const (
	plyCorners = 3
	plySkip    = 4
)

// Roles of elements.
const (
	plyOther = iota
	plyVertex
	plyFace
)

type plyProperty struct {
	name   string
	list   bool
	length scalar // type of the list's length
	value  scalar
	role   int
	keep   []int // columns to store it in
}

type plyElement struct {
	name  string
	count uint32
	props []plyProperty
	role  int
}

// ply is the state of reading a PLY file.
type ply struct {
	s        *source
	k        *collector
	encoding string
	order    binary.ByteOrder // nil in ascii
	elements []plyElement
	vertices uint32 // vertex count in the header
}

var plyTypes = map[string]scalar{
	"char": {'I', 1}, "int8": {'I', 1}, "uchar": {'U', 1}, "uint8": {'U', 1},
	"short": {'I', 2}, "int16": {'I', 2}, "ushort": {'U', 2}, "uint16": {'U', 2},
	"int": {'I', 4}, "int32": {'I', 4}, "uint": {'U', 4}, "uint32": {'U', 4},
	"float": {'F', 4}, "float32": {'F', 4}, "double": {'F', 8}, "float64": {'F', 8},
}

// mostDeclared is the limit of the number of elements and properties of a header.
const mostDeclared = 1 << 16

// header reads the lines up to end_header.
func (p *ply) header() error {
	line, ok := p.s.line()
	if !ok {
		return p.s.lineEnd("no header")
	}
	if string(trimBlanksAfter(line)) != "ply" {
		return p.s.lineErrorf("not a PLY file: the first line is %s, want ply: give it the extension of its format", quote(line))
	}
	declared := 0
	for {
		line, ok := p.s.line()
		if !ok {
			return p.s.lineEnd("no end_header")
		}
		switch word, _ := cutField(line); string(word) {
		case "", "comment", "obj_info":
			continue
		}
		words, err := splitFields(line)
		if err != nil {
			return p.s.lineErrorf("%w", err)
		}
		if declared++; declared > mostDeclared {
			return p.s.lineErrorf("header of more than %d elements and properties: remove the unused ones", mostDeclared)
		}
		switch words[0] {
		case "format":
			err = p.format(words[1:])
		case "element":
			err = p.element(words[1:])
		case "property":
			err = p.property(words[1:])
		case "end_header":
			if err := p.check(); err != nil {
				return p.s.lineErrorf("%w", err)
			}
			return nil
		default:
			err = fmt.Errorf("unknown header word %s, want format, element, property, comment, obj_info or end_header", quote(line))
		}
		if err != nil {
			return p.s.lineErrorf("%w", err)
		}
	}
}

// splitFields returns the words of a header line.
func splitFields(line []byte) (words []string, err error) {
	if len(line) > longestHeaderLine {
		return nil, fmt.Errorf("header line of %d bytes, at most %d are read: shorten it", len(line), longestHeaderLine)
	}
	for {
		var word []byte
		if word, line = cutField(line); len(word) == 0 {
			return words, nil
		}
		words = append(words, string(word))
	}
}

func (p *ply) format(words []string) error {
	if p.encoding != "" {
		return fmt.Errorf("second format line")
	}
	if len(words) != 2 {
		return fmt.Errorf("format line wants an encoding and a version")
	}
	if words[1] != "1.0" {
		return fmt.Errorf("PLY version %s, want 1.0", quote([]byte(words[1])))
	}
	switch words[0] {
	case "ascii":
	case "binary_little_endian":
		p.order = binary.LittleEndian
	case "binary_big_endian":
		p.order = binary.BigEndian
	default:
		return fmt.Errorf("PLY encoding %s, want ascii, binary_little_endian or binary_big_endian", quote([]byte(words[0])))
	}
	p.encoding = words[0]
	return nil
}

func (p *ply) element(words []string) error {
	if len(words) != 2 {
		return fmt.Errorf("element line wants a name and a count")
	}
	count, err := parseCount([]byte(words[1]))
	if err != nil {
		return fault.Errorf("element %s: %w", words[0], err)
	}
	e := plyElement{name: words[0], count: count}
	switch e.name {
	case "vertex":
		e.role, p.vertices = plyVertex, count
		if err := p.k.claimed(uint64(count)); err != nil {
			return fault.Errorf("element vertex: %w", err)
		}
	case "face":
		e.role = plyFace
	}
	if e.role != plyOther && slices.ContainsFunc(p.elements, func(o plyElement) bool { return o.role == e.role }) {
		return fmt.Errorf("second element %s", e.name)
	}
	p.elements = append(p.elements, e)
	return nil
}

func (p *ply) property(words []string) error {
	if len(p.elements) == 0 {
		return fmt.Errorf("property before the first element")
	}
	prop := plyProperty{role: plySkip}
	if len(words) > 0 && words[0] == "list" {
		prop.list = true
		words = words[1:]
	}
	types := words[:max(0, len(words)-1)]
	if len(types) != 1 && !prop.list || len(types) != 2 && prop.list {
		return fmt.Errorf("property line wants a type and a name, or list, two types and a name")
	}
	for _, word := range types {
		t, ok := plyTypes[word]
		if !ok {
			return fmt.Errorf("property %s: unknown type %s, want char to double or int8 to float64", words[len(words)-1], quote([]byte(word)))
		}
		prop.length, prop.value = prop.value, t
	}
	prop.name = words[len(words)-1]
	if prop.list && prop.length.kind == 'F' {
		return fmt.Errorf("list %s has a length of type %s", prop.name, types[0])
	}
	e := &p.elements[len(p.elements)-1]
	switch {
	case e.role == plyVertex && !prop.list && len(prop.name) == 1 && prop.name[0]-'x' <= 2:
		prop.role = int(prop.name[0] - 'x')
	case e.role == plyFace && prop.list && (prop.name == "vertex_indices" || prop.name == "vertex_index"):
		prop.role = plyCorners
		if prop.value.kind == 'F' {
			return fmt.Errorf("list %s is of type %s", prop.name, types[1])
		}
	}
	if prop.role != plySkip && slices.ContainsFunc(e.props, func(o plyProperty) bool { return o.role == prop.role }) {
		return fmt.Errorf("second property %s", prop.name)
	}
	if e.role == plyVertex && !prop.list {
		var err error
		if prop.keep, err = p.k.claim(prop.name); err != nil {
			return fault.Errorf("second property %w", err)
		}
	}
	e.props = append(e.props, prop)
	return nil
}

// check reports an error unless the elements have the properties needed.
func (p *ply) check() error {
	if p.encoding == "" {
		return fmt.Errorf("no format line")
	}
	found := false
	for i := range p.elements {
		e := &p.elements[i]
		if len(e.props) == 0 && e.count > 0 {
			return fmt.Errorf("element %s has no properties", e.name)
		}
		roles := [plySkip + 1]bool{}
		for j := range e.props {
			roles[e.props[j].role] = true
		}
		switch e.role {
		case plyVertex:
			found = true
			if !roles[0] || !roles[1] || !roles[2] {
				return fmt.Errorf("element vertex lacks x, y or z")
			}
		case plyFace:
			if !roles[plyCorners] && e.count > 0 && !p.k.opt.NoFaces {
				return fmt.Errorf("element face lacks the list vertex_indices: set Options.NoFaces to read the vertices alone")
			}
			if !roles[plyCorners] {
				e.role = plyOther // its records are no faces
			}
		}
	}
	if !found {
		return fmt.Errorf("no element vertex: rename the element of the points to vertex, with properties x, y and z")
	}
	return nil
}
