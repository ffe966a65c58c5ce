package input

import "io"

// meter counts and reports the bytes read from a snapshot, gzipped or not, and stops when the context is
// done.
type meter struct {
	in          io.Reader
	done, total int64
	opt         *Options
}

func (m *meter) Read(p []byte) (int, error) {
	if m.opt.Context != nil {
		if err := m.opt.Context.Err(); err != nil {
			return 0, err
		}
	}
	n, err := m.in.Read(p)
	m.done += int64(n)
	if m.opt.Progress != nil && n > 0 {
		m.opt.Progress(m.done, m.total)
	}
	return n, err
}
