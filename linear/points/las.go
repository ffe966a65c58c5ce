package points

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
)

// Section numbers are those of ASPRS, LAS Specification 1.4-R15.

// Byte offsets in the Public Header Block, section 2.4.
const (
	lasEncodingAt      = 6
	lasVersionAt       = 24
	lasHeaderSizeAt    = 94
	lasPointsAt        = 96
	lasRecordsAt       = 100
	lasFormatAt        = 104
	lasLengthAt        = 105
	lasLegacyCountAt   = 107
	lasScaleAt         = 131
	lasOffsetAt        = 155
	lasWaveformsAt     = 227
	lasExtendedAt      = 235
	lasExtendedCountAt = 243
	lasCountAt         = 247
)

const (
	lasCompressed = 0xc0   // bits of the point format that LASzip sets
	lasWaveforms  = 1 << 1 // bit of Global Encoding: waveforms are in the file

	lasRecordBytes   = 54 // header of a Variable Length Record, section 2.5
	lasExtendedBytes = 60 // header of an Extended Variable Length Record, section 2.7
)

// lasVersions has the size of the header and the last point format of LAS 1.2, 1.3 and 1.4.
var lasVersions = [...]struct {
	header int64
	format byte
}{{227, 3}, {235, 5}, {375, 10}}

// las is the state of reading a LAS file.
type las struct {
	s *source
	k *collector

	minor         byte // of the version
	format        byte
	length        int64  // of a point in bytes
	count         uint64 // of points
	pointsAt      int64  // offset of the first point
	records       uint32 // before the points
	extended      uint32 // records after the points
	extendedAt    uint64 // offset of the first of them
	scale, offset [3]float64
	taken         []lasTaken
}

// lasTaken is a field of a point that is kept in a column.
type lasTaken struct {
	lasField
	column int
}

// readLAS reads a LAS file.
func readLAS(s *source, k *collector) (string, error) {
	l := las{s: s, k: k}
	for _, step := range []func() error{l.header, l.skipRecords, l.points, l.skipExtended} {
		if err := step(); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("LAS 1.%d format %d", l.minor, l.format), nil
}

// header reads the Public Header Block.
func (l *las) header() error {
	order := binary.LittleEndian
	b := l.s.peek(int(lasVersions[2].header))
	if len(b) > lasFormatAt && b[lasFormatAt]&lasCompressed != 0 {
		return l.compressed()
	}
	if int64(len(b)) < lasVersions[0].header {
		l.s.skip(int64(len(b)))
		return l.s.byteEnd("header of %d bytes, at least %d are needed", len(b), lasVersions[0].header)
	}
	major, minor := b[lasVersionAt], b[lasVersionAt+1]
	if major != 1 || minor < 2 || minor > 4 {
		return l.s.byteErrorf(lasVersionAt, "LAS version %d.%d, want 1.2 to 1.4: convert it, for example with pdal translate", major, minor)
	}
	version := lasVersions[minor-2]
	size := int64(order.Uint16(b[lasHeaderSizeAt:]))
	if size < version.header {
		return l.s.byteErrorf(lasHeaderSizeAt, "header of %d bytes, LAS 1.%d has at least %d", size, minor, version.header)
	}
	l.minor, l.format = minor, b[lasFormatAt]
	if l.format > version.format {
		return l.s.byteErrorf(lasFormatAt, "point format %d, LAS 1.%d has 0 to %d", l.format, minor, version.format)
	}
	if int64(len(b)) < version.header {
		l.s.skip(int64(len(b)))
		return l.s.byteEnd("header of %d bytes, LAS 1.%d has at least %d", len(b), minor, version.header)
	}
	l.pointsAt = int64(order.Uint32(b[lasPointsAt:]))
	if l.pointsAt < size {
		return l.s.byteErrorf(lasPointsAt, "points at byte %d, inside the header of %d bytes", l.pointsAt, size)
	}
	l.length = int64(order.Uint16(b[lasLengthAt:]))
	if least := lasFormats[l.format].length; l.length < least {
		return l.s.byteErrorf(lasLengthAt, "points of %d bytes, point format %d has at least %d", l.length, l.format, least)
	}
	l.records = order.Uint32(b[lasRecordsAt:])
	if minor == 3 && order.Uint16(b[lasEncodingAt:])&lasWaveforms != 0 {
		if l.extendedAt = order.Uint64(b[lasWaveformsAt:]); l.extendedAt > 0 {
			l.extended = 1
		}
	}
	if minor == 4 {
		l.extendedAt, l.extended = order.Uint64(b[lasExtendedAt:]), order.Uint32(b[lasExtendedCountAt:])
	}
	if err := l.counts(b); err != nil {
		return err
	}
	if err := l.scales(b); err != nil {
		return err
	}
	if !l.s.skip(size) {
		return l.s.byteEnd("header of %d bytes", size)
	}
	return nil
}

// counts reads the number of points. LAS 1.4 has it in 64 bits, and again in a legacy field of 32 bits, unless that is
// zero.
func (l *las) counts(b []byte) error {
	legacy, at := uint64(binary.LittleEndian.Uint32(b[lasLegacyCountAt:])), int64(lasLegacyCountAt)
	l.count = legacy
	if l.minor == 4 {
		at = lasCountAt
		l.count = binary.LittleEndian.Uint64(b[at:])
		if legacy != 0 && legacy != l.count {
			return l.s.byteErrorf(at, "the header counts %d points, its legacy field %d: correct the header, for example with pdal translate", l.count, legacy)
		}
	}
	if err := l.k.claimed(l.count); err != nil {
		return l.s.byteErrorf(at, "%w", err)
	}
	return nil
}

// scales reads the scale factors and offsets of the coordinates.
func (l *las) scales(b []byte) error {
	for a := range 3 {
		scaleAt, offsetAt := int64(lasScaleAt+8*a), int64(lasOffsetAt+8*a)
		l.scale[a] = math.Float64frombits(binary.LittleEndian.Uint64(b[scaleAt:]))
		l.offset[a] = math.Float64frombits(binary.LittleEndian.Uint64(b[offsetAt:]))
		if s := l.scale[a]; s-s != 0 || s == 0 {
			return l.s.byteErrorf(scaleAt, "%c scale factor %v, want a finite number other than 0", 'x'+a, s)
		}
		if o := l.offset[a]; o-o != 0 {
			return l.s.byteErrorf(offsetAt, "%c offset %v, want a finite number", 'x'+a, o)
		}
	}
	return nil
}

// compressed returns the error for a LAZ file.
func (l *las) compressed() error {
	return l.s.errorf("%s", notRead("a LAZ file, compressed LAS,", "decompress it, for example with laszip or pdal translate in.laz out.las"))
}

// skipRecords skips the Variable Length Records, up to the first point.
func (l *las) skipRecords() error {
	for i := range l.records {
		at := l.s.offset()
		if at+lasRecordBytes > l.pointsAt {
			return l.s.byteErrorf(at, "variable length record %d of %d does not end before the points at byte %d", i, l.records, l.pointsAt)
		}
		b, ok := l.s.take(lasRecordBytes)
		if !ok {
			return l.s.byteEnd("variable length record %d of %d", i, l.records)
		}
		if bytes.HasPrefix(b[2:], []byte("laszip encoded")) {
			return l.compressed()
		}
		length := int64(binary.LittleEndian.Uint16(b[20:]))
		if at+lasRecordBytes+length > l.pointsAt {
			return l.s.byteErrorf(at, "variable length record %d of %d does not end before the points at byte %d", i, l.records, l.pointsAt)
		}
		if !l.s.skip(length) {
			return l.s.byteEnd("variable length record %d of %d", i, l.records)
		}
	}
	if !l.s.skip(l.pointsAt - l.s.offset()) {
		return l.s.byteEnd("points at byte %d", l.pointsAt)
	}
	l.k.skip(int64(l.records), "variable length records")
	return nil
}

// points reads the Point Data Records, section 2.6.
func (l *las) points() error {
	for _, f := range lasFormats[l.format].fields() {
		which, _ := l.k.claim(f.name) // the names of fields are distinct
		for _, k := range which {
			l.taken = append(l.taken, lasTaken{f, k})
		}
	}
	for i := range l.count {
		at := l.s.offset()
		b, ok := l.s.take(l.length)
		if !ok {
			return l.s.byteEnd("%d of %d points", i, l.count)
		}
		var p [3]float64
		for a := range p {
			x := int32(binary.LittleEndian.Uint32(b[4*a:]))
			p[a] = float64(float64(x)*l.scale[a]) + l.offset[a]
		}
		for _, f := range l.taken {
			l.k.columns[f.column].now = f.value(b, &p)
		}
		if err := l.k.point(p, nil); err != nil {
			return l.s.byteErrorf(at, "%w", err)
		}
	}
	return nil
}

// skipExtended skips the Extended Variable Length Records after the points, up to the end of the file.
func (l *las) skipExtended() error {
	at := l.s.offset()
	if l.extended == 0 {
		return l.s.finishBytes()
	}
	if l.extendedAt < uint64(at) {
		return l.s.byteErrorf(at, "extended variable length records at byte %d, before the end of the points", l.extendedAt)
	}
	if !l.s.skip(int64(min(l.extendedAt, math.MaxInt64)) - at) {
		return l.s.byteEnd("extended variable length records at byte %d", l.extendedAt)
	}
	for i := range l.extended {
		b, ok := l.s.take(lasExtendedBytes)
		if ok {
			ok = l.s.skip(int64(min(binary.LittleEndian.Uint64(b[20:]), math.MaxInt64)))
		}
		if !ok {
			return l.s.byteEnd("extended variable length record %d of %d", i, l.extended)
		}
	}
	l.k.skip(int64(l.extended), "extended variable length records")
	return l.s.finishBytes()
}
