package prof

import (
	"fmt"
	"io"
	"os"

	"github.com/google/pprof/profile"
)

// Profile is a profile in pprof's format.
type Profile = profile.Profile

// Parse reads a profile.
func Parse(r io.Reader) (*Profile, error) { return profile.Parse(r) }

// Load reads the profile in a file.
func Load(path string) (*Profile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := Parse(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// Save writes a profile to a new file.
func Save(path string, p *Profile) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := p.Write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
