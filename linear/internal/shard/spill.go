package shard

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// During the creation of shards, objects are in temporary files as records:
//
//	0  number   uint64
//	8  box      6 x float32
//	32 mask     uint32
//	36 static   uint32
const recordSize = 40

// numbered is an object with its number.
type numbered struct {
	Number uint64
	Object soa.Object
}

func (r *numbered) put(b *[recordSize]byte) {
	e := binary.LittleEndian
	e.PutUint64(b[:], r.Number)
	for a := range 3 {
		e.PutUint32(b[8+4*a:], math.Float32bits(r.Object.Box.Min[a]))
		e.PutUint32(b[20+4*a:], math.Float32bits(r.Object.Box.Max[a]))
	}
	e.PutUint32(b[32:], r.Object.Mask)
	static := uint32(0)
	if r.Object.Static {
		static = 1
	}
	e.PutUint32(b[36:], static)
}

func (r *numbered) get(b *[recordSize]byte) {
	e := binary.LittleEndian
	r.Number = e.Uint64(b[:])
	for a := range 3 {
		r.Object.Box.Min[a] = math.Float32frombits(e.Uint32(b[8+4*a:]))
		r.Object.Box.Max[a] = math.Float32frombits(e.Uint32(b[20+4*a:]))
	}
	r.Object.Mask, r.Object.Static = e.Uint32(b[32:]), e.Uint32(b[36:]) != 0
}

// Key returns the Morton key of the object in the world.
func (r *numbered) Key(w *morton.World) morton.Key {
	return w.KeyOfBox(r.Object.Box.Min, r.Object.Box.Max)
}

// spill is a temporary file of records. The file is open only while it is written or read.
type spill struct {
	d     *Disk
	path  string
	to    *diskFile // nil: written
	count int64     // also where int has 32 bits: more records than fit in memory
}

// spillTo makes a new spill.
func (d *Disk) spillTo(path string, buffer int) (*spill, error) {
	f, err := d.create(path, buffer)
	if err != nil {
		return nil, err
	}
	return &spill{d: d, path: path, to: f}, nil
}

func (s *spill) add(r *numbered) error {
	var b [recordSize]byte
	r.put(&b)
	s.count++
	_, err := s.to.w.Write(b[:])
	return err
}

// written flushes and closes the file after writing.
func (s *spill) written() error {
	err := errors.Join(s.to.w.Flush(), s.to.f.Close())
	s.to = nil
	return err
}

// each calls do for each record, in the order in which they were added.
func (s *spill) each(ctx context.Context, do func(r *numbered) error) error {
	if err := s.d.before("read", s.path); err != nil {
		return err
	}
	f, err := os.Open(s.path)
	if err != nil {
		return err
	}
	defer f.Close()
	from := bufio.NewReaderSize(f, spillBuffer)
	var r numbered
	var b [recordSize]byte
	for i := range s.count {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if _, err := io.ReadFull(from, b[:]); err != nil {
			return fault.Errorf("record %d of %d: %w", i, s.count, err)
		}
		r.get(&b)
		if err := do(&r); err != nil {
			return err
		}
	}
	return nil
}

// remove removes the file. It may be called twice.
func (s *spill) remove() error {
	if s == nil || s.path == "" {
		return nil
	}
	if s.to != nil {
		_ = s.to.f.Close() // the file is removed anyway
	}
	err := os.Remove(s.path)
	s.path, s.to = "", nil
	return err
}

// spillBuffer is the buffer size of files that are read or written one at a time, in bytes.
const spillBuffer = 1 << 18
