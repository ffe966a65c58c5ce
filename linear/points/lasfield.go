package points

import "encoding/binary"

// lasFormat is a point data record format, section 2.6 of the LAS specification. An offset of 0 means that the format
// lacks the field.
type lasFormat struct {
	length                 int64 // least size of a point in bytes
	extended               bool  // formats 6 to 10
	timeAt, colorAt, nirAt int   // offsets in a point
}

// lasFormats has the point formats 0 to 10. Formats 4, 5, 9 and 10 end with a waveform packet, which is skipped.
var lasFormats = [...]lasFormat{
	{20, false, 0, 0, 0},
	{28, false, 20, 0, 0},
	{26, false, 0, 20, 0},
	{34, false, 20, 28, 0},
	{57, false, 20, 0, 0},
	{63, false, 20, 28, 0},
	{30, true, 22, 0, 0},
	{36, true, 22, 30, 0},
	{38, true, 22, 30, 36},
	{59, true, 22, 0, 0},
	{67, true, 22, 30, 36},
}

// lasField is a field of a point.
type lasField struct {
	name  string // name of a column
	typ   scalar // ignored for coordinates
	start int    // offset in the point; the axis of a coordinate

	shift, bits byte    // bits of a bit field in its byte; without bits the field is the whole number
	factor      float64 // multiplies the number; 0 means 1
}

var (
	lasU8  = scalar{'U', 1}
	lasU16 = scalar{'U', 2}
)

// fields returns the fields of the format that may be columns, with distinct names.
func (f lasFormat) fields() []lasField {
	all := []lasField{
		{name: "x", start: 0}, {name: "y", start: 1}, {name: "z", start: 2},
		{name: "intensity", typ: lasU16, start: 12},
		{name: "user_data", typ: lasU8, start: 17},
	}
	if f.extended {
		all = append(all,
			lasField{name: "return_number", typ: lasU8, start: 14, shift: 0, bits: 4},
			lasField{name: "number_of_returns", typ: lasU8, start: 14, shift: 4, bits: 4},
			lasField{name: "synthetic", typ: lasU8, start: 15, shift: 0, bits: 1},
			lasField{name: "key_point", typ: lasU8, start: 15, shift: 1, bits: 1},
			lasField{name: "withheld", typ: lasU8, start: 15, shift: 2, bits: 1},
			lasField{name: "overlap", typ: lasU8, start: 15, shift: 3, bits: 1},
			lasField{name: "scanner_channel", typ: lasU8, start: 15, shift: 4, bits: 2},
			lasField{name: "scan_direction_flag", typ: lasU8, start: 15, shift: 6, bits: 1},
			lasField{name: "edge_of_flight_line", typ: lasU8, start: 15, shift: 7, bits: 1},
			lasField{name: "classification", typ: lasU8, start: 16},
			lasField{name: "scan_angle", typ: scalar{'I', 2}, start: 18, factor: 0.006},
			lasField{name: "point_source_id", typ: lasU16, start: 20},
		)
	} else {
		all = append(all,
			lasField{name: "return_number", typ: lasU8, start: 14, shift: 0, bits: 3},
			lasField{name: "number_of_returns", typ: lasU8, start: 14, shift: 3, bits: 3},
			lasField{name: "scan_direction_flag", typ: lasU8, start: 14, shift: 6, bits: 1},
			lasField{name: "edge_of_flight_line", typ: lasU8, start: 14, shift: 7, bits: 1},
			lasField{name: "classification", typ: lasU8, start: 15, shift: 0, bits: 5},
			lasField{name: "synthetic", typ: lasU8, start: 15, shift: 5, bits: 1},
			lasField{name: "key_point", typ: lasU8, start: 15, shift: 6, bits: 1},
			lasField{name: "withheld", typ: lasU8, start: 15, shift: 7, bits: 1},
			lasField{name: "scan_angle", typ: scalar{'I', 1}, start: 16},
			lasField{name: "point_source_id", typ: lasU16, start: 18},
		)
	}
	if at := f.timeAt; at > 0 {
		all = append(all, lasField{name: "gps_time", typ: scalar{'F', 8}, start: at})
	}
	if at := f.colorAt; at > 0 {
		all = append(all, lasField{name: "red", typ: lasU16, start: at}, lasField{name: "green", typ: lasU16, start: at + 2},
			lasField{name: "blue", typ: lasU16, start: at + 4})
	}
	if at := f.nirAt; at > 0 {
		all = append(all, lasField{name: "nir", typ: lasU16, start: at})
	}
	return all
}

// value returns the number in a point b at p.
func (f *lasField) value(b []byte, p *[3]float64) float64 {
	switch {
	case f.typ.size == 0:
		return p[f.start]
	case f.bits > 0:
		return float64(b[f.start] >> f.shift & (1<<f.bits - 1))
	}
	v := f.typ.float64(b[f.start:], binary.LittleEndian)
	if f.factor != 0 {
		v *= f.factor
	}
	return v
}
