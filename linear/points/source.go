package points

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
)

const (
	firstBuffer = 128 << 10

	// longestLine is the limit of a line of text, and of continued lines together, in bytes: they are in memory
	// at once.
	longestLine = 4 << 20
	// longestHeaderLine is the limit of a header line that is not a comment, in bytes.
	longestHeaderLine = 64 << 10
)

// source reads a stream as lines or as runs of bytes, both without copying, and tracks its position. The slices
// that it returns are valid until the next call.
//
//	          r        w
//	buf  |read| unread | free |
//	     ^ offset base in the stream
type source struct {
	name  string
	ctx   context.Context // may be nil
	in    io.Reader
	buf   []byte
	r, w  int
	base  int64
	end   byte  // end of a line: '\n', also where '\r' precedes it, or '\r'
	lines int   // number of lines returned so far
	err   error // end of the stream; io.EOF is a regular end

	zipped bool // in decompresses
}

// open makes a source that reads from in, through gzip if the stream has its magic.
func open(ctx context.Context, in io.Reader, name string) (s *source, zipped bool, err error) {
	// gzip reads single bytes; a source reads large blocks.
	b := bufio.NewReaderSize(in, 64<<10)
	s = &source{name: name, ctx: ctx, in: b, buf: make([]byte, firstBuffer), end: '\n'}
	magic, err := b.Peek(2)
	if err != nil && err != io.EOF {
		return nil, false, s.errorf("%w", err)
	}
	if string(magic) != "\x1f\x8b" {
		return s, false, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, true, s.errorf("gzip header: %w", err)
	}
	s.in, s.zipped = z, true
	return s, true, nil
}

// more reads at least one byte, or returns false with err set. The buffer doubles when it is full of unread bytes,
// so it is less than twice the size of the data read.
func (s *source) more() bool {
	if s.r > 0 {
		copy(s.buf, s.buf[s.r:s.w])
		s.base += int64(s.r)
		s.r, s.w = 0, s.w-s.r
	}
	if s.w == len(s.buf) {
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	for range 100 {
		if s.err == nil && s.ctx != nil {
			s.err = s.ctx.Err() // highly compressed data rarely reads from the file
		}
		if s.err != nil {
			return false
		}
		var n int
		n, s.err = s.in.Read(s.buf[s.w:])
		if n > 0 {
			s.w += n
			return true
		}
	}
	s.err = io.ErrNoProgress
	return false
}

// peek returns up to n of the next bytes without consuming them.
func (s *source) peek(n int) []byte {
	for s.w-s.r < n && s.more() {
	}
	return s.buf[s.r:min(s.r+n, s.w)]
}

// skip discards the next n bytes. It returns false when the stream ends before.
func (s *source) skip(n int64) bool {
	for {
		k := min(n, int64(s.w-s.r))
		s.r += int(k)
		if n -= k; n == 0 {
			return true
		}
		if !s.more() {
			return false
		}
	}
}

// take returns the next n bytes, or false when the stream ends before. All of them are in memory: n must not be an
// unbounded number from the file.
func (s *source) take(n int64) ([]byte, bool) {
	for int64(s.w-s.r) < n {
		if !s.more() {
			return nil, false
		}
	}
	b := s.buf[s.r : s.r+int(n)]
	s.r += int(n)
	return b, true
}

// line returns the next line without its end, \n or \r\n, or \r; false when there is none. The last line needs no
// end.
func (s *source) line() ([]byte, bool) {
	seen := 0
	for {
		i := bytes.IndexByte(s.buf[s.r+seen:s.w], s.end)
		if i >= 0 && seen+i <= longestLine {
			line := s.buf[s.r : s.r+seen+i]
			s.r += seen + i + 1
			s.lines++
			return bytes.TrimSuffix(line, []byte("\r")), true
		}
		seen = s.w - s.r
		if seen > longestLine {
			return s.tooLong()
		}
		if s.more() {
			continue
		}
		if seen == 0 || s.err != io.EOF {
			return nil, false
		}
		line := s.buf[s.r:s.w]
		s.r = s.w
		s.lines++
		return line, true
	}
}

// tooLong ends the reading at a line, or at continued lines, of more than longestLine bytes.
func (s *source) tooLong() ([]byte, bool) {
	s.err = placed{fmt.Errorf("line %d has more than %d bytes: break it into shorter ones, or use a binary format", s.lines+1, longestLine)}
	return nil, false
}

// placed is an error that ends a stream and includes its position.
type placed struct{ error }

// record returns the next line that is not blank.
func (s *source) record() ([]byte, bool) {
	for {
		line, ok := s.line()
		if word, _ := cutField(line); !ok || len(word) > 0 {
			return line, ok
		}
	}
}

// offset returns the offset of the next byte in the stream.
func (s *source) offset() int64 { return s.base + int64(s.r) }

// failure returns the error that ended the stream, nil at a regular end.
func (s *source) failure() error {
	switch {
	case s.err == nil || s.err == io.EOF:
		return nil
	case errors.As(s.err, new(placed)):
		return s.errorf("%w", s.err)
	case s.zipped && errors.Is(s.err, io.ErrUnexpectedEOF):
		return s.errorf("byte %d: gzip data ends early: %w", s.base+int64(s.w), s.err)
	}
	return s.errorf("byte %d: %w", s.base+int64(s.w), s.err)
}

// errorf returns an error about the file as a whole.
func (s *source) errorf(format string, args ...any) error {
	name := s.name
	if name == "" {
		name = "points"
	}
	return fmt.Errorf("%s: "+format, append([]any{name}, args...)...)
}

// lineErrorf returns an error about the last line returned.
func (s *source) lineErrorf(format string, args ...any) error {
	return s.errorf("line %d: "+format, append([]any{s.lines}, args...)...)
}

// byteErrorf returns an error about the bytes at an offset.
func (s *source) byteErrorf(at int64, format string, args ...any) error {
	return s.errorf("byte %d: "+format, append([]any{at}, args...)...)
}

// lineEnd returns the error for a stream that ended where a line should follow.
func (s *source) lineEnd(format string, args ...any) error {
	if err := s.failure(); err != nil {
		return err
	}
	s.lines++
	return s.lineErrorf("file ends early: "+format, args...)
}

// byteEnd returns the error for a stream that ended where bytes should follow.
func (s *source) byteEnd(format string, args ...any) error {
	if err := s.failure(); err != nil {
		return err
	}
	return s.byteErrorf(s.base+int64(s.w), "file ends early: "+format, args...)
}

// finishText returns an error if anything but blank lines follows.
func (s *source) finishText() error {
	if _, ok := s.record(); ok {
		return s.lineErrorf("data after the last record: the header counts fewer, or another file was appended")
	}
	return s.failure()
}

// finishBytes returns an error if anything follows.
func (s *source) finishBytes() error {
	if len(s.peek(1)) > 0 {
		return s.byteErrorf(s.offset(), "data after the last record: the header counts fewer, or another file was appended")
	}
	return s.failure()
}
