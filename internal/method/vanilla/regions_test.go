package vanilla

import (
	"testing"

	"github.com/mahabo/mahabo/internal/method/methodtest"
)

func TestRegions(t *testing.T) { methodtest.Regions(t, Method()) }
