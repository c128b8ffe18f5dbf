package space_test

import (
	"encoding/json"
	"fmt"

	"github.com/mahabo/mahabo/space"
)

func Example() {
	s, err := space.Parse([]byte(`
parameters:
  "w[0:2]": {float: [-1, 1]}
  rate:     {log: [1e-5, 1e-1], unit: 1/s}
  layers:   {int: [1, 8]}
  solver:   {choice: [euler, midpoint, rk4]}
  damping:  {fixed: 0.1}
constraints:
  - w0 + w1 <= 1
`))
	if err != nil {
		panic(err)
	}
	x := make([]float64, s.Dim())
	x[0], x[1] = 1, 0.5 // w0 + w1 = 1.5
	if err := s.Project(x); err != nil {
		panic(err)
	}
	values, err := s.Decode(x)
	if err != nil {
		panic(err)
	}
	layers, _ := values.Text("layers")
	fmt.Println("coordinates:", s.Dim(), "layers:", layers)
	w0, _ := values.Get("w0")
	w1, _ := values.Get("w1")
	fmt.Printf("w0 %.6f, w1 %.6f\n", w0, w1)

	_, err = s.Encode(space.ParamsOf(map[string]any{"w0": 0, "w1": 0, "w2": 0, "rate": 0.5, "layers": 3, "solver": "rk4"}))
	fmt.Println(err)
	// Output:
	// coordinates: 8 layers: 5
	// w0 0.750000, w1 0.250000
	// parameter "rate" is 0.5, expected a number in [1e-05, 0.1]: use 0.1 or widen the bounds
}

func ExampleNew() {
	s, err := space.New(
		space.Log("rate", 1e-5, 1e-1).WithUnit("1/s"),
		space.Int("layers", 1, 8),
		space.Bool("damped"),
	)
	if err != nil {
		panic(err)
	}
	values, err := s.Decode([]float64{1, -1, 0.3})
	if err != nil {
		panic(err)
	}
	object, _ := json.Marshal(values)
	tree, _ := json.Marshal(s)
	fmt.Println(string(object))
	fmt.Println(string(tree))
	// Output:
	// {"rate":0.1,"layers":1,"damped":true}
	// {"parameters":{"rate":{"log":[1e-05,0.1],"unit":"1/s"},"layers":{"int":[1,8]},"damped":{"bool":[false,true]}}}
}
