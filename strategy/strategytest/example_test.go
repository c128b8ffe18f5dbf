package strategytest_test

import (
	"fmt"

	"github.com/mahabo/mahabo"
	"github.com/mahabo/mahabo/strategy"
	"github.com/mahabo/mahabo/strategy/strategytest"
)

// Outside of a test, the checks are functions.
func ExampleChecks() {
	registry, err := mahabo.Methods()
	if err != nil {
		panic(err)
	}
	build := func(cfg strategy.Config) (strategy.Strategy, error) { return registry.New("random", cfg) }
	for _, c := range strategytest.Checks(strategytest.Options{Method: "random", Batch: true, Cost: strategytest.Cheap}) {
		if err := c.Run(build); err != nil {
			fmt.Println(c.Name, "failed")
		}
	}
	// Output: minimises failed
}
