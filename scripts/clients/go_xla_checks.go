// Checks of go-xla on the plugin: arrays of rank 0 to 4, read back and as results of programs.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Run by scripts/check_clients.py, with the path of the plugin.
package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/gomlx/compute/dtypes/gotype"
	"github.com/gomlx/go-xla/pjrt"
)

var passed, count int

func check(name string, run func() error) {
	count++
	if err := run(); err != nil {
		fmt.Printf("FAILED %s: %.600s\n", name, err.Error())
		return
	}
	passed++
}

// "2x3xf32"
func typeOf(dims []int, element string) string {
	parts := []string{}
	for _, dim := range dims {
		parts = append(parts, strconv.Itoa(dim))
	}
	return "tensor<" + strings.Join(append(parts, element), "x") + ">"
}

func sizeOf(dims []int) int {
	size := 1
	for _, dim := range dims {
		size *= dim
	}
	return size
}

func same[T gotype.Supported](buffer *pjrt.Buffer, want []T, dims []int) error {
	got, gotDims, err := pjrt.BufferToArray[T](buffer)
	if err != nil {
		return err
	}
	if !slices.Equal(gotDims, dims) {
		return fmt.Errorf("dimensions %v, not %v", gotDims, dims)
	}
	for i := range want {
		if any(got[i]) != any(want[i]) {
			return fmt.Errorf("element %d is %v, not %v", i, got[i], want[i])
		}
	}
	return nil
}

func arrays[T int8 | uint8 | int16 | int32 | int64 | float32 | float64](client *pjrt.Client, element string) {
	for _, dims := range [][]int{{}, {5}, {3, 4}, {2, 3, 4}, {2, 3, 4, 5}} {
		values := make([]T, sizeOf(dims))
		for i := range values {
			values[i] = T(i % 60)
		}
		name := fmt.Sprintf("%s of rank %d", element, len(dims))
		var buffer *pjrt.Buffer
		check(name, func() (err error) {
			if buffer, err = pjrt.ArrayToBuffer(client, values, dims...); err != nil {
				return err
			}
			return same(buffer, values, dims)
		})
		check(name+", reversed and added", func() error {
			reversed := slices.Clone(dims)
			slices.Reverse(reversed)
			order := []string{}
			for d := range dims {
				order = append(order, strconv.Itoa(len(dims)-1-d))
			}
			from, to := typeOf(dims, element), typeOf(reversed, element)
			program := fmt.Sprintf(`func.func @main(%%x: %s) -> %s {
  %%0 = stablehlo.add %%x, %%x : %s
  %%1 = stablehlo.transpose %%0, dims = [%s] : (%s) -> %s
  return %%1 : %s
}`, from, to, from, strings.Join(order, ", "), from, to, to)
			executable, err := client.Compile().WithStableHLO([]byte(program)).Done()
			if err != nil {
				return err
			}
			results, err := executable.Execute(buffer).DonateNone().Done()
			if err != nil {
				return err
			}
			want := make([]T, len(values))
			for i, value := range values {
				at, rest := 0, i
				indices := make([]int, len(dims))
				for d := len(dims) - 1; d >= 0; d-- {
					indices[d], rest = rest%dims[d], rest/dims[d]
				}
				for d := len(dims) - 1; d >= 0; d-- {
					at = at*dims[d] + indices[d]
				}
				want[at] = value + value
			}
			return same(results[0], want, reversed)
		})
	}
}

func main() {
	plugin, err := pjrt.GetPlugin(os.Args[1])
	if err != nil {
		panic(err)
	}
	client, err := plugin.NewClient(pjrt.NamedValuesMap{"target": "v3-2"})
	if err != nil {
		panic(err)
	}
	check("options", func() error {
		if devices := client.NumDevices(); devices != 2 {
			return fmt.Errorf("%d devices, not 2", devices)
		}
		return nil
	})
	arrays[int8](client, "i8")
	arrays[uint8](client, "ui8")
	arrays[int16](client, "i16")
	arrays[int32](client, "i32")
	arrays[int64](client, "i64")
	arrays[float32](client, "f32")
	arrays[float64](client, "f64")
	fmt.Printf("arrays: %d of %d passed\n", passed, count)
	if passed != count {
		os.Exit(1)
	}
}
