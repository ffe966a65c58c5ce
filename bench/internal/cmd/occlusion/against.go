package occlusion

import (
	"archive/tar"
	"bufio"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/zoctree/zoctree/soa"
)

// program is the source of the process that queries the library of another commit. It uses only API that all
// commits have.
//
//go:embed against.go.txt
var program string

// other is the library of another commit, built to run frustum queries in turns with this one.
type other struct {
	folder string // folder of its sources and inputs; removed at the end
	binary string
}

// newOther builds the library of a commit of the checkout that contains the working directory. Output of the
// commands is written to stderr.
func newOther(commit string, stderr io.Writer) (*other, error) {
	temp, err := os.MkdirTemp("", "against")
	if err != nil {
		return nil, err
	}
	o := &other{folder: temp, binary: filepath.Join(temp, "against.exe")}
	if err := o.build(commit, stderr); err != nil {
		o.close()
		return nil, fmt.Errorf("-against %s: %w", commit, err)
	}
	return o, nil
}

func (o *other) build(commit string, stderr io.Writer) error {
	if err := sourcesOf(commit, o.folder, stderr); err != nil {
		return fmt.Errorf("it takes git, and a checkout that has this commit: %w", err)
	}
	main := filepath.Join(o.folder, "against", "main.go")
	if err := os.Mkdir(filepath.Dir(main), 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(main, []byte(program), 0o666); err != nil {
		return err
	}
	build := exec.Command("go", "build", "-buildvcs=false", "-o", o.binary, "./against")
	build.Dir, build.Stderr = o.folder, stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("it does not build: %w", err)
	}
	return nil
}

func (o *other) close() { os.RemoveAll(o.folder) }

// sourcesOf writes the files of a commit to a folder.
func sourcesOf(commit, folder string, stderr io.Writer) error {
	top, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	git := exec.Command("git", "archive", "--format=tar", commit+"^{commit}")
	git.Dir, git.Stderr = string(top[:len(top)-1]), stderr
	out, err := git.StdoutPipe()
	if err != nil {
		return err
	}
	if err := git.Start(); err != nil {
		return err
	}
	err = unpack(root, tar.NewReader(out))
	io.Copy(io.Discard, out) // so that git ends without an error
	return errors.Join(err, git.Wait())
}

func unpack(to *os.Root, from *tar.Reader) error {
	for {
		h, err := from.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		switch h.Typeflag {
		case tar.TypeDir:
			err = to.MkdirAll(filepath.FromSlash(filepath.Clean(h.Name)), 0o777)
		case tar.TypeReg:
			var data []byte
			if data, err = io.ReadAll(from); err == nil {
				err = to.WriteFile(filepath.FromSlash(h.Name), data, 0o666)
			}
		}
		if err != nil {
			return err
		}
	}
}

// process is a process of the other library with a tree of boxes and a list of views.
type process struct {
	run     *exec.Cmd
	input   io.WriteCloser
	answers *bufio.Reader
}

// plant sends the boxes, and the frustum planes of each view.
func (o *other) plant(boxes []soa.AABB, views [][][6][4]float32, stderr io.Writer) (*process, error) {
	given := filepath.Join(o.folder, "given")
	file, err := os.Create(given)
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriterSize(file, 1<<20)
	put := func(v any) { err = errors.Join(err, binary.Write(w, binary.LittleEndian, v)) }
	put(uint32(len(boxes)))
	put(boxes)
	put(uint32(len(views)))
	for _, v := range views {
		put(uint32(len(v)))
		put(v)
	}
	if err := errors.Join(err, w.Flush(), file.Close()); err != nil {
		return nil, err
	}
	a := &process{run: exec.Command(o.binary, given)}
	a.run.Stderr = stderr
	out, err := a.run.StdoutPipe()
	if err != nil {
		return nil, err
	}
	a.answers = bufio.NewReader(out)
	if a.input, err = a.run.StdinPipe(); err != nil {
		return nil, err
	}
	return a, a.run.Start()
}

// replay runs all frames of a view, and calls took with the time and the number of objects of each.
func (a *process) replay(view, frames int, took func(i int, d time.Duration, found int)) error {
	if _, err := a.input.Write([]byte{byte(view)}); err != nil {
		return err
	}
	for i := range frames {
		var answer [2]int64
		if err := binary.Read(a.answers, binary.LittleEndian, &answer); err != nil {
			return fmt.Errorf("the other commit ends at frame %d: %w", i, err)
		}
		took(i, time.Duration(answer[0]), int(answer[1]))
	}
	return nil
}

// close ends the process.
func (a *process) close() error { return errors.Join(a.input.Close(), a.run.Wait()) }
