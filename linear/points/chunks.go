package points

import (
	"context"
	"errors"
	"io"
	"iter"
	"math"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/regular"
)

// textPerChunk is the limit of the bytes of the texts of a chunk, which the last point may exceed.
const textPerChunk = 4 << 20

// pointsPerChunk is the limit of the points, or boxes, of a chunk. Only tests change it.
var pointsPerChunk = 1 << 16

// Chunks reads the point cloud in the file at path as a stream of chunks, for files that do not fit into memory. A
// chunk has at most 65,536 points, or boxes. The last one may have none. Use it to write an out-of-core directory: see
// linear.CreateDirectory, and the example.
//
// The chunks together have the content of the cloud that [Open] returns, with the same origin, except for faces, which
// are left out. In each chunk Bounds is that of the chunk, and Kept is set, with the indices in the file. Format and
// Skipped are set in the last chunk. The caller owns the chunks. After an error, the last pair of the sequence has the
// error and a nil chunk. The errors are those of Open, and one for a file that changes while it is read.
//
// Memory is that of one chunk, under 8 MiB and 16 bytes a column and point, and of the longest line or record. Only the
// data of a PCD file that is binary_compressed are in memory at once. [Options.MaxPoints] is a limit of all chunks
// together, 0 means 4,294,967,295. Unless [Options.Origin] is given, each iteration reads the file twice: first for the
// bounds that determine the origin, then for the points. [Options.Progress] counts the bytes of both. Each iteration of
// the sequence opens the file anew, and closes it before it ends.
func Chunks(ctx context.Context, path string, opt Options) iter.Seq2[*Cloud, error] {
	return func(yield func(*Cloud, error) bool) {
		opt := opt // of this iteration
		s := streaming{ctx: ctx, path: path, opt: &opt, yield: yield}
		if err := s.run(); err != nil && !s.stopped {
			yield(nil, err)
		}
	}
}

// streaming is the state of one iteration of Chunks.
type streaming struct {
	ctx     context.Context // may be nil
	path    string
	opt     *Options
	yield   func(*Cloud, error) bool
	stopped bool // yield returned false
}

// run reads the file, if need be twice.
func (s *streaming) run() error {
	f, info, err := regular.Open(s.path)
	if err != nil {
		return err
	}
	defer f.Close()
	s.opt.NoFaces = true
	if s.opt.MaxPoints == 0 {
		s.opt.MaxPoints = int(min(uint64(math.MaxInt), math.MaxUint32))
	}
	in := &meter{ctx: s.ctx, in: f, total: info.Size(), progress: s.opt.Progress}
	whole := Cloud{Bounds: empty()}
	origin := s.opt.Origin
	if origin == nil {
		in.total *= 2
		if err = s.pass(in, func(c *Cloud) error { whole.cover(&c.Bounds.Min, &c.Bounds.Max); return nil }); err != nil {
			return err
		}
		chosen := originOf(&whole.Bounds)
		origin = &chosen
		if _, err = f.Seek(0, io.SeekStart); err != nil {
			return err
		}
	}
	return s.pass(in, func(c *Cloud) error {
		before := whole.Bounds
		if whole.cover(&c.Bounds.Min, &c.Bounds.Max); s.opt.Origin == nil && whole.Bounds != before {
			return errors.New("the file has changed while it was read")
		}
		c.subtract(origin)
		if !s.yield(c, nil) {
			s.stopped = true
			return io.EOF
		}
		return nil
	})
}

// pass reads the file once, and calls use with each chunk.
func (s *streaming) pass(in io.Reader, use func(c *Cloud) error) error {
	k, err := newCollector(s.ctx, s.opt)
	if err != nil {
		return err
	}
	k.kept = make([]uint32, 0, pointsPerChunk)
	k.emit = func() error {
		c := &Cloud{}
		k.fill(c)
		c.measure()
		err := use(c)
		k.reset()
		return err
	}
	c := &Cloud{}
	if c.Format, err = k.read(in, s.path); err != nil {
		return err
	}
	k.finish(c)
	c.measure()
	if err = use(c); err != nil {
		return fault.Errorf("%s: %w", s.path, err)
	}
	return nil
}

// reset removes the objects of a chunk that has been handed over.
func (k *collector) reset() {
	k.before += len(k.kept)
	k.kept = make([]uint32, 0, pointsPerChunk)
	k.raw, k.boxes = k.raw[:0], k.boxes[:0]
	for i := range k.columns {
		k.columns[i].values = nil
	}
	for i := range k.texts {
		k.texts[i].values = nil
	}
	k.textsBefore = k.textBytes
}
