//go:build js && wasm

// Command wasm is the library for the page of bench view: package demo behind functions of one global object,
// zoctree. Questions and answers are JSON, columns are the bytes of typed arrays. Errors are returned in the
// field error of the answer.
package main

import (
	"encoding/json"
	"fmt"
	"syscall/js"
	"unsafe"

	"github.com/zoctree/zoctree/bench/internal/cmd/view/demo"
)

var (
	stage *demo.Stage
	boxes []float32 // of the last call, reused
)

func main() {
	js.Global().Set("zoctree", js.ValueOf(map[string]any{
		"make": call(func(args []js.Value) (any, error) {
			return put(demo.NewStage(args[0].String(), args[1].Int(), uint64(args[2].Int())))
		}),
		"open":   call(func(args []js.Value) (any, error) { return put(demo.Open(args[0].String(), bytesOf(args[1]))) }),
		"ask":    call(ask),
		"code":   js.FuncOf(func(_ js.Value, args []js.Value) any { return demo.Code(args[0].String()) }),
		"states": column(func() []demo.State { return stage.States }),
		"boxes": column(func() []float32 {
			boxes = stage.AppendBoxes(boxes[:0])
			return boxes
		}),
		"ranks": column(func() []float32 { return stage.Ranks() }),
		"order": column(func() []uint32 { return stage.Order() }),
		"tight": outlines(func() demo.Outlines { return stage.Tight() }),
		"cells": outlines(func() demo.Outlines { return stage.Cells() }),
	}))
	select {} // keeps running for calls of the page
}

// put replaces the stage.
func put(s *demo.Stage, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	stage = s
	return s.About, nil
}

func ask(args []js.Value) (any, error) {
	var q demo.Question
	if err := json.Unmarshal([]byte(args[0].String()), &q); err != nil {
		return nil, err
	}
	return stage.Ask(q)
}

// call makes a function of JavaScript whose result is JSON.
func call(f func(args []js.Value) (any, error)) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) (reply any) {
		defer func() { // keeps the page alive
			if r := recover(); r != nil {
				reply = failure(fmt.Sprint(r))
			}
		}()
		result, err := f(args)
		if err != nil {
			return failure(err.Error())
		}
		text, err := json.Marshal(result)
		if err != nil {
			return failure(err.Error())
		}
		return string(text)
	})
}

func failure(why string) string {
	text, _ := json.Marshal(map[string]string{"error": why})
	return string(text)
}

func bytesOf(array js.Value) []byte {
	data := make([]byte, array.Length())
	js.CopyBytesToGo(data, array)
	return data
}

// column makes a function whose result is an array of bytes.
func column[T uint8 | uint32 | float32](f func() []T) js.Func {
	return js.FuncOf(func(js.Value, []js.Value) any { return array(f()) })
}

func array[T uint8 | uint32 | float32](list []T) js.Value {
	var one T
	n := len(list) * int(unsafe.Sizeof(one))
	to := js.Global().Get("Uint8Array").New(n)
	js.CopyBytesToJS(to, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), n))
	return to
}

func outlines(f func() demo.Outlines) js.Func {
	return js.FuncOf(func(js.Value, []js.Value) any {
		o := f()
		return js.ValueOf([]any{array(o.Boxes), array(o.Depths), array(o.Ranks)})
	})
}
