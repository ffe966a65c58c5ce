//go:build (!amd64 && !arm64) || purego

package build

func (w *writeArgs) write() (written, away uint32) { return w.writeGo() }
