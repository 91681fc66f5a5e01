// Checks of GoMLX on the plugin: operations and the training of an MLP, against its own backend in Go.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Run by scripts/check_clients.py, with the path of the plugin.
package main

import (
	"fmt"
	"math"
	"os"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/go-xla/compute/xla"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

func array(dims ...int) *tensors.Tensor {
	size := 1
	for _, dim := range dims {
		size *= dim
	}
	values := make([]float32, size)
	for i := range values {
		values[i] = float32(math.Sin(float64(i)*1.7 + float64(size)))
	}
	return tensors.FromFlatDataAndDimensions(values, dims...)
}

type operation struct {
	name string
	call func(inputs []*Node) *Node
	args []*tensors.Tensor
}

func operations() []operation {
	x, y := array(6, 8), array(6, 8)
	list := []operation{}
	add := func(name string, call func(in []*Node) *Node, args ...*tensors.Tensor) {
		list = append(list, operation{name, call, args})
	}
	for _, a := range []*tensors.Tensor{array(), array(5), array(3, 4), array(2, 3, 4), array(2, 3, 4, 5)} {
		add(fmt.Sprintf("rank %d", a.Rank()), func(in []*Node) *Node { return Add(in[0], in[0]) }, a)
	}
	add("multiply and divide", func(in []*Node) *Node { return Div(Mul(in[0], in[1]), AddScalar(Abs(in[1]), 1)) }, x, y)
	add("dot", func(in []*Node) *Node { return MatMul(in[0], Transpose(in[1], 0, 1)) }, x, y)
	add("einsum", func(in []*Node) *Node { return Einsum("bij,bkj->bik", in[0], in[1]) }, array(3, 4, 5), array(3, 2, 5))
	add("softmax", func(in []*Node) *Node { return Softmax(in[0]) }, x)
	add("tanh, exp, log", func(in []*Node) *Node { return Tanh(Log(AddScalar(Exp(in[0]), 1))) }, x)
	add("sum", func(in []*Node) *Node { return ReduceSum(in[0], 1) }, x)
	add("max", func(in []*Node) *Node { return ReduceMax(in[0], 0) }, x)
	add("mean", func(in []*Node) *Node { return ReduceAllMean(in[0]) }, x)
	add("where", func(in []*Node) *Node { return Where(GreaterThan(in[0], ZerosLike(in[0])), in[0], in[1]) }, x, y)
	add("concatenate", func(in []*Node) *Node { return Concatenate([]*Node{in[0], in[1]}, 1) }, x, y)
	add("slice", func(in []*Node) *Node { return Slice(in[0], AxisRange(1, 4), AxisRange(2, 7)) }, x)
	add("gradient", func(in []*Node) *Node {
		return Gradient(ReduceAllSum(Mul(Sin(in[0]), in[1])), in[0])[0]
	}, x, y)
	add("steps of an MLP", func(in []*Node) *Node {
		w, v := in[1], in[2]
		for range 3 {
			out := MatMul(Tanh(MatMul(in[0], w)), v)
			slopes := Gradient(ReduceAllMean(Square(SubScalar(out, 0.5))), w, v)
			w, v = Sub(w, MulScalar(slopes[0], 0.1)), Sub(v, MulScalar(slopes[1], 0.1))
		}
		return MatMul(w, v)
	}, array(16, 8), array(8, 12), array(12, 3))
	return list
}

func run(backend compute.Backend, op operation) (values []float32, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			err = fmt.Errorf("%v", caught)
		}
	}()
	args := []any{}
	for _, arg := range op.args {
		copied, err := arg.Clone()
		if err != nil {
			return nil, err
		}
		args = append(args, copied)
	}
	result, err := CallOnce(backend, op.call, args...)
	if err != nil {
		return nil, err
	}
	return tensors.MustCopyFlatData[float32](result), nil
}

func compare(plugin, reference compute.Backend, op operation) error {
	got, err := run(plugin, op)
	if err != nil {
		return err
	}
	want, err := run(reference, op)
	if err != nil {
		return fmt.Errorf("the reference: %w", err)
	}
	if len(got) != len(want) {
		return fmt.Errorf("%d elements, not %d", len(got), len(want))
	}
	for i := range want {
		if math.Abs(float64(got[i]-want[i])) > 1e-5*(1+math.Abs(float64(want[i]))) {
			return fmt.Errorf("element %d is %v, not %v", i, got[i], want[i])
		}
	}
	return nil
}

func main() {
	xla.EnableAutoInstall(false)
	plugin, err := xla.New(os.Args[1])
	if err != nil {
		panic(err)
	}
	reference, err := gobackend.New("")
	if err != nil {
		panic(err)
	}
	passed, list := 0, operations()
	for _, op := range list {
		if err := compare(plugin, reference, op); err != nil {
			fmt.Printf("FAILED %s: %.600s\n", op.name, err.Error())
		} else {
			passed++
		}
	}
	fmt.Printf("operations: %d of %d passed\n", passed, len(list))
	if passed != len(list) {
		os.Exit(1)
	}
}
