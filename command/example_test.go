//go:build unix

package command_test

import (
	"context"
	"fmt"

	"github.com/mahabo/mahabo/command"
	"github.com/mahabo/mahabo/space"
)

func Example() {
	s, err := space.New(space.Int("a", 0, 9), space.Int("b", 0, 9))
	if err != nil {
		panic(err)
	}
	program, err := command.New(s, []string{"expr", "{a}", "*", "{b}"}, command.Options{})
	if err != nil {
		panic(err)
	}
	outcome, err := program.Evaluate(context.Background(), 1, space.ParamsOf(map[string]any{"a": 6, "b": 7}))
	if err != nil {
		panic(err)
	}
	fmt.Println(outcome.State, outcome.Value)

	_, err = command.New(s, []string{"expr", "{c}"}, command.Options{})
	fmt.Println(err)
	// Output:
	// complete 42
	// argument 1 of the command: "{c}": no parameter is named "c": the parameters are a, b; write {{ and }} for braces
}
