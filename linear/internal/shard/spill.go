package shard

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"unsafe"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// During the creation of shards, objects are in temporary files as records in the order of bytes of the machine.
type record struct {
	number       uint64
	box          soa.AABB
	mask, static uint32
}

// bytes returns the memory of the record.
func (r *record) bytes() []byte { return (*[unsafe.Sizeof(*r)]byte)(unsafe.Pointer(r))[:] }

// numbered is an object with its number.
type numbered struct {
	Number uint64
	Object soa.Object
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
	b := record{number: r.Number, box: r.Object.Box, mask: r.Object.Mask}
	if r.Object.Static {
		b.static = 1
	}
	s.count++
	_, err := s.to.w.Write(b.bytes())
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
	var b record
	for i := range s.count {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if _, err := io.ReadFull(from, b.bytes()); err != nil {
			return fault.Errorf("record %d of %d: %w", i, s.count, err)
		}
		r.Number, r.Object = b.number, soa.Object{Box: b.box, Mask: b.mask, Static: b.static != 0}
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
