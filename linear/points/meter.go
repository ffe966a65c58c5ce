package points

import (
	"context"
	"io"
)

// meter counts the bytes of the file itself, packed or not, reports them, and stops when the context is done.
type meter struct {
	ctx         context.Context // may be nil
	in          io.Reader
	done, total int64
	progress    func(done, total int64) // may be nil
}

func (m *meter) Read(p []byte) (int, error) {
	if m.ctx != nil {
		if err := m.ctx.Err(); err != nil {
			return 0, err
		}
	}
	n, err := m.in.Read(p)
	m.done += int64(n)
	if m.progress != nil && n > 0 {
		m.progress(m.done, m.total)
	}
	return n, err
}
