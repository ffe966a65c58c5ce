// Package view implements the command bench view, which displays a tree in the browser.
package view

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"time"

	"github.com/zoctree/zoctree/bench/internal/command"
)

// Command is bench view.
var Command = command.Command{
	Name:  "view",
	Short: "a page in the browser: rotate 100,000 boxes, drag a camera through them, and see the visited nodes",
	Long: `
Serves one page on this machine, with the library as WebAssembly, and prints its
address. The page shows frustum and occlusion culling, ray casts, nearest neighbours
and all pairs; moving boxes, interest management for a viewer, the live map of a
LiDAR, and instances; the tight boxes by depth, the cells, and the Morton curve that
builds the tree. Each has its lines of Go, and its work is compared with a loop over
all objects. A PLY, PCD, OBJ or CSV file or a snapshot may be dropped on the page, and
the files of a folder are in its list of scenes. The address holds the state. Mouse,
touch and keyboard move the picture and the query.

  go run ./bench view
  go run ./bench view -data FOLDER
  go run ./bench view -o site

The page and three.js are part of the command. The wasm is not: the go command builds
it, once for each version of the sources, and it is kept in the user's cache. The page
uses no network, and the server accepts connections on 127.0.0.1 only.`,
	Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
		var v viewer
		flags.IntVar(&v.port, "port", 8377, "listen on port `N` of 127.0.0.1; 0: any that is free")
		flags.StringVar(&v.out, "o", "", "write the page to folder `DIR`, for any web server, and end; without the files of -data")
		flags.StringVar(&v.data, "data", "", "offer the PLY, PCD, OBJ, CSV, XYZ, PTS and LAS files and the snapshots in `FOLDER` as scenes; default: $ZOCTREE_DATA, if it is set")
		return v.run
	},
}

// viewer is one run of the command.
type viewer struct {
	port int
	out  string
	data string
}

func (v *viewer) run(e *command.Env) error {
	if v.port < 0 || v.port > 65535 {
		return command.Usagef("-port %d: want 0 to 65535", v.port)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	data, err := dataOf(v.data)
	if err != nil {
		return err
	}
	files := site(ctx, e.Errs)
	if v.out != "" {
		files.write(v.out)
		fmt.Fprintf(e.Out, "%d files in %s, for any web server\n", len(files), v.out)
		return nil
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(v.port)))
	if err != nil {
		return fmt.Errorf("%w: -port 0 takes any that is free", err)
	}
	fmt.Fprintf(e.Out, "http://%s/ until interrupted\n", l.Addr())
	return serve(ctx, l, data.offer(files))
}

// serve serves the files until the context is done.
func serve(ctx context.Context, l net.Listener, files http.Handler) error {
	s := &http.Server{Handler: files, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		<-ctx.Done()
		s.Close()
	}()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
